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
    static let leastUnexpectedBytes = 8
    /// Longest first, so that no word hides a part of a longer one.
    static let samples = [
        "changeme", "change-me", "change_me", "secret", "your-secret", "yoursecret", "password", "passw0rd", "sekrit",
        "default", "example", "sample", "test", "letmein", "qwerty", "123456", "abcdef", "gatefold", "pugpig", "baker",
        "please", "replace", "placeholder", "todo", "dummy", "insecure", "admin", "administrator", "publisher",
        "subscriber", "edition", "magazine", "newspaper", "super", "private", "token", "welcome",
    ].sorted { $0.count > $1.count }
    static let keyboardRows = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890"].map { Array($0.utf8) }
}

extension Secret {
    /// - Throws: ``SecretWeakness`` when the secret is empty, short, a sample with little beside it, or repetitive.
    public func requireStrength() throws(SecretWeakness) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if text.allSatisfy(\.isWhitespace) { throw .empty }
        if SecretWeakness.samples.contains(text) { throw .sample }
        if bytes.count < SecretWeakness.leastBytes { throw .short(bytes: bytes.count) }
        if Set(bytes).count < SecretWeakness.leastDifferentBytes || isOnePieceRepeated { throw .repetitive }
        // What is left after taking well-known words away must still be a secret.
        var rest = text
        for sample in SecretWeakness.samples { rest = rest.split(separator: sample).joined() }
        if Self.unexpected(Array(rest.utf8)) < SecretWeakness.leastUnexpectedBytes { throw .sample }
    }

    private var isOnePieceRepeated: Bool {
        (1...bytes.count / 2).contains { period in
            bytes.indices.dropFirst(period).allSatisfy { bytes[$0] == bytes[$0 - period] }
        }
    }

    /// How many bytes are no step from the one before: the same, the next in order, or the next on a keyboard.
    private static func unexpected(_ bytes: [UInt8]) -> Int {
        let steps = zip(bytes, bytes.dropFirst()).count { before, after in
            before.distance(to: after).magnitude <= 1
                || SecretWeakness.keyboardRows.contains { row in
                    guard let here = row.firstIndex(of: before), let there = row.firstIndex(of: after) else {
                        return false
                    }
                    return here.distance(to: there).magnitude <= 1
                }
        }
        return bytes.count - steps
    }
}
