/// Temporary keys of Amazon Web Services. The description never contains the secret or the session token.
///
/// Source: InPlayer notifications protocol, “Keys document”.
struct AWSKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    var accessKey: String
    var secretKey: String
    var sessionToken: String?

    var description: String { "AWSKeys(redacted)" }
    var debugDescription: String { description }
}
