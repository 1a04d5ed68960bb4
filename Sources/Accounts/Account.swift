public import Foundation
public import Gatefold

/// The data of a reader that Gatefold stores for apps that show an account, regardless of the reader's backend.
///
/// An account holds no password and takes part in no decision. Its description is redacted, because an account is
/// personal data.
public struct Account: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    public let publication: PublicationID
    /// The reader as the owner of purchases. With the publication, the owner identifies the account.
    public let owner: PurchaseOwner
    /// The account number, from 1 upwards. A number is never reused, even after the account is erased.
    public let number: Int64
    /// A random UUID in lower case (RFC 9562). Only the reader and those who received it from the reader know it,
    /// and notifications are addressed by it.
    public let uuid: String
    public let details: AccountDetails
    public let created: Date
    public let updated: Date

    public init(
        publication: PublicationID, owner: PurchaseOwner, number: Int64, uuid: String, details: AccountDetails,
        created: Date, updated: Date
    ) {
        self.publication = publication
        self.owner = owner
        self.number = number
        self.uuid = uuid
        self.details = details
        self.created = created
        self.updated = updated
    }

    public var description: String { "Account(\(number), redacted)" }
    public var debugDescription: String { description }
}

/// The details that a reader gives about themselves.
public struct AccountDetails: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The sign-in identifier, as the subscriber system knows it. E-mail messages go to it.
    public var identifier: String
    public var fullName: String?
    /// The date of birth as `YYYY-MM-DD`.
    public var dateOfBirth: String?
    /// The origin of the reader, as sent by the app that registered them.
    public var referrer: String?
    /// The publication's own registration fields.
    public var metadata: [String: String]

    public init(
        identifier: String, fullName: String? = nil, dateOfBirth: String? = nil, referrer: String? = nil,
        metadata: [String: String] = [:]
    ) {
        self.identifier = identifier
        self.fullName = fullName
        self.dateOfBirth = dateOfBirth
        self.referrer = referrer
        self.metadata = metadata
    }

    /// The maximum size of a stored text in bytes.
    public static let maxTextLength = 1024
    public static let maxMetadataEntries = 50

    /// A part of the details.
    public enum Field: Sendable, Hashable {
        case identifier, fullName, dateOfBirth, referrer
        /// The value of this key. Nil means the keys themselves, or their number.
        case metadata(String?)
    }

    /// The first part that exceeds a limit or contains control characters, or nil if all parts are acceptable.
    public var invalidField: Field? {
        let texts: [(Field, String?)] = [
            (.identifier, identifier), (.fullName, fullName), (.dateOfBirth, dateOfBirth), (.referrer, referrer),
        ]
        if let (field, _) = texts.first(where: { !Self.isAcceptable($0.1 ?? "") }) { return field }
        guard metadata.count <= Self.maxMetadataEntries, metadata.keys.allSatisfy(Self.isAcceptable) else {
            return .metadata(nil)
        }
        let keys = metadata.filter { !Self.isAcceptable($0.value) }.keys
        return keys.min().map { .metadata($0) }
    }

    /// A Boolean value that indicates whether all parts are within the limits and contain no control characters.
    public var isAcceptable: Bool { invalidField == nil }

    private static func isAcceptable(_ text: String) -> Bool {
        text.utf8.count <= maxTextLength && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    public var description: String { "AccountDetails(redacted)" }
    public var debugDescription: String { description }
}
