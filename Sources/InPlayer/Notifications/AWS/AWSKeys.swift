/// Temporary keys of Amazon Web Services (PROTOCOLS 5.5). Their secret and session token are never shown.
struct AWSKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    var accessKey: String
    var secretKey: String
    var sessionToken: String?

    var description: String { "AWSKeys(redacted)" }
    var debugDescription: String { description }
}
