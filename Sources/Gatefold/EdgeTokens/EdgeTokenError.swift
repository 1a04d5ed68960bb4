/// Why an edge token can not be configured. Says what was expected, and never the key.
public enum EdgeTokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A header or cookie name must be a token of RFC 9110 section 5.6.2.
    case name(String)
    /// The named setting holds a character that a header, a cookie or a policy can not carry.
    case character(setting: String)
    /// The named setting has a placeholder other than `{edition}` and `{publication}`.
    case placeholder(setting: String)
    case empty(setting: String)
    case hexKey
    case pemKey
    case rsaKeySize(bits: Int)
    /// A canned policy signs one whole URL; a pattern needs a custom policy. (A `?` may begin the URL's query.)
    case wildcardInCannedPolicy
    case lifetime

    public var description: String {
        switch self {
        case .name(let name):
            "\(name.debugDescription) is no header or cookie name: letters, digits and -_.!#$%&'*+^`|~"
        case .character(let setting): "\(setting) holds a character that can not be sent"
        case .placeholder(let setting): "\(setting) may only hold the placeholders {edition} and {publication}"
        case .empty(let setting): "\(setting) is empty"
        case .hexKey: "the key must be at least 16 bytes in hexadecimal digits, as the edge's console shows it"
        case .pemKey: "the private key must be PEM text of an RSA or an ECDSA P-256 key without a passphrase"
        case .rsaKeySize(let bits): "the RSA key has \(bits) bits; CloudFront takes 2048"
        case .wildcardInCannedPolicy: "a canned policy is for one URL without *; use a custom policy for a pattern"
        case .lifetime: "the lifetime must be at least one second"
        }
    }
}
