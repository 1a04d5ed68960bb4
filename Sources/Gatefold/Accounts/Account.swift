public import Foundation

/// What Gatefold keeps of a reader for apps that show their readers an account, whatever backend knows the reader.
///
/// It holds no password and decides nothing. Has no description of its own on purpose: it is personal data.
public struct Account: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    public let publication: PublicationID
    /// The reader as purchases name them; with the publication it names the account.
    public let owner: PurchaseOwner
    /// From 1 upwards; never given to another account, also when this one is erased.
    public let number: Int64
    /// Random, in lower case (RFC 9562). Whoever knows it is the reader, or was told by them: notifications go by it.
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

/// What a reader says about themselves.
public struct AccountDetails: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What the reader signs in with, as the subscriber system knows it: mails go to it.
    public var identifier: String
    public var fullName: String?
    /// `YYYY-MM-DD`.
    public var dateOfBirth: String?
    /// Where the reader came from, as the app that registered them said it.
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

    /// A text longer than this, in bytes, is not kept.
    public static let longestText = 1024
    public static let mostMetadata = 50

    /// A part of the details.
    public enum Field: Sendable, Hashable {
        case identifier, fullName, dateOfBirth, referrer
        /// The value of this key; nil for the keys themselves, and for their number.
        case metadata(String?)
    }

    /// The first part that is too long or too much to be kept, or holds control characters; nil where all can be kept.
    public var unacceptable: Field? {
        let texts: [(Field, String?)] = [
            (.identifier, identifier), (.fullName, fullName), (.dateOfBirth, dateOfBirth), (.referrer, referrer),
        ]
        if let (field, _) = texts.first(where: { !Self.isAcceptable($0.1 ?? "") }) { return field }
        guard metadata.count <= Self.mostMetadata, metadata.keys.allSatisfy(Self.isAcceptable) else {
            return .metadata(nil)
        }
        let keys = metadata.filter { !Self.isAcceptable($0.value) }.keys
        return keys.min().map { .metadata($0) }
    }

    /// Whether it is small enough to be kept, and holds no control characters.
    public var isAcceptable: Bool { unacceptable == nil }

    private static func isAcceptable(_ text: String) -> Bool {
        text.utf8.count <= longestText && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    public var description: String { "AccountDetails(redacted)" }
    public var debugDescription: String { description }
}
