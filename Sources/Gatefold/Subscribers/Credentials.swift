/// The credentials of a reader, as the named fields that the publication requires.
///
/// The description is redacted, because typed credentials must not reach a log.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The type of credentials. A backend receives only the types that it accepts; see
    /// ``CredentialSelectingBackend/accepts(_:)``.
    public enum Kind: String, Sendable, CaseIterable {
        /// Credentials that a reader typed.
        case typed
        /// A receipt that an app store gave the app for a purchase.
        case receipt
    }

    private let fields: [String: String]
    public let kind: Kind
    /// The value of the field that identifies the reader, folded as in ``CredentialFields``. For a receipt, a
    /// digest of all of it.
    public let identifier: String
    /// The name of the identifying field, or nil if it is unknown. Every field then counts as a proof.
    public let identifierField: String?

    public init(
        identifier: String, identifierField: String? = nil, fields: [String: String], kind: Kind = .typed
    ) {
        self.identifier = identifier
        self.identifierField = identifierField
        self.fields = fields
        self.kind = kind
    }

    public subscript(name: String) -> String? { fields[name] }

    /// The names of the fields in alphabetical order.
    public var names: [String] { fields.keys.sorted() }

    public var description: String { "Credentials(redacted)" }
    public var debugDescription: String { description }
}
