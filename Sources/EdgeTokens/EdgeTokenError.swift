/// A configuration error of an edge token. It states the expected value and never contains the key.
public enum EdgeTokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of a header or cookie is not a token (RFC 9110 section 5.6.2).
    case name(String)
    /// The setting contains a character that a header, a cookie or a policy cannot carry.
    case character(setting: String)
    /// The setting contains a placeholder other than `{edition}` and `{publication}`.
    case placeholder(setting: String)
    case empty(setting: String)
    case hexKey
    case pemKey
    case rsaKeySize(bits: Int)
    /// A canned policy contains a `*`. It signs one whole URL; a pattern requires a custom policy. (A `?` may start
    /// the URL's query.)
    case wildcardInCannedPolicy
    case lifetime

    public var description: String {
        switch self {
        case .name(let name):
            "\(name.debugDescription) is not a header or cookie name: expected letters, digits and -_.!#$%&'*+^`|~"
        case .character(let setting): "\(setting) contains a character that cannot be sent"
        case .placeholder(let setting): "\(setting) may only contain the placeholders {edition} and {publication}"
        case .empty(let setting): "\(setting) is empty"
        case .hexKey: "the key must be at least 16 bytes in hexadecimal digits, as the edge's console shows it"
        case .pemKey: "the private key must be PEM text of an RSA or an ECDSA P-256 key without a passphrase"
        case .rsaKeySize(let bits): "the RSA key has \(bits) bits; CloudFront takes 2048"
        case .wildcardInCannedPolicy: "a canned policy is for one URL without *; use a custom policy for a pattern"
        case .lifetime: "the lifetime must be at least one second"
        }
    }
}
