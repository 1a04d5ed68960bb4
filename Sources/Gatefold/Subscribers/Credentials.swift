/// What the reader typed, as the named fields the publication asks for.
///
/// Has no description of its own on purpose: what a reader typed must not reach a log.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let fields: [String: String]
    /// The field that says who the reader is, folded as ``CredentialFields`` says.
    public let identifier: String

    public init(identifier: String, fields: [String: String]) {
        self.identifier = identifier
        self.fields = fields
    }

    public subscript(name: String) -> String? { fields[name] }

    /// The names of the fields in alphabetical order.
    public var names: [String] { fields.keys.sorted() }

    public var description: String { "Credentials(redacted)" }
    public var debugDescription: String { description }
}
