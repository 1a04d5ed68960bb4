/// What the reader typed, as the named fields the publication asks for.
///
/// Has no description of its own on purpose: what a reader typed must not reach a log.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What the credentials are; no system is shown those of a form it does not read, see ``SubscriberBackend/reads(_:)``.
    public enum Form: String, Sendable, CaseIterable {
        /// What a reader typed.
        case typed
        /// What an app store gave the app for a purchase.
        case receipt
    }

    private let fields: [String: String]
    public let form: Form
    /// The field that says who the reader is, folded as ``CredentialFields`` says; a digest of all of a receipt.
    public let identifier: String
    /// The name of that field; nil where it is not known, so that every field counts as a proof.
    public let identifierField: String?

    public init(
        identifier: String, identifierField: String? = nil, fields: [String: String], form: Form = .typed
    ) {
        self.identifier = identifier
        self.identifierField = identifierField
        self.fields = fields
        self.form = form
    }

    public subscript(name: String) -> String? { fields[name] }

    /// The names of the fields in alphabetical order.
    public var names: [String] { fields.keys.sorted() }

    public var description: String { "Credentials(redacted)" }
    public var debugDescription: String { description }
}
