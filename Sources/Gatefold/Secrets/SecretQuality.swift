/// Why a secret may not be used: a guessable one turns every issued pair into an offline test (PITFALLS row 4).
public enum SecretWeakness: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    case short(bytes: Int)
    case sample
    case repetitive

    public var description: String {
        switch self {
        case .empty: "the secret is empty"
        case .short(let bytes):
            "the secret has \(bytes) bytes; at least \(SecretWeakness.leastBytes) are needed (see `gatefold secret new`)"
        case .sample: "the secret is a well-known sample (see `gatefold secret new`)"
        case .repetitive: "the secret repeats too few different characters (see `gatefold secret new`)"
        }
    }

    /// The fewest bytes a secret may have.
    public static let leastBytes = 16
    static let leastDifferentBytes = 6
    static let samples = [
        "changeme", "change-me", "change_me", "secret", "password", "sekrit", "default", "example", "sample", "test",
        "letmein", "qwerty", "123456", "abcdef", "gatefold", "pugpig", "your-secret", "yoursecret", "replace",
        "placeholder", "todo", "dummy", "insecure",
    ]
}

extension Secret {
    /// - Throws: ``SecretWeakness`` when the secret is empty, short, a sample with little beside it, or repetitive.
    public func requireStrength() throws(SecretWeakness) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if text.allSatisfy(\.isWhitespace) { throw .empty }
        if SecretWeakness.samples.contains(text) { throw .sample }
        if bytes.count < SecretWeakness.leastBytes { throw .short(bytes: bytes.count) }
        if Set(bytes).count < SecretWeakness.leastDifferentBytes { throw .repetitive }
        // What is left after taking well-known words away must still be a secret.
        var rest = text
        for sample in SecretWeakness.samples {
            rest = rest.split(separator: sample, omittingEmptySubsequences: false).joined()
        }
        if rest.utf8.count < SecretWeakness.leastBytes / 2, rest.utf8.count < text.utf8.count { throw .sample }
    }
}
