/// The reason that a secret is rejected. A guessable secret turns every issued pair of credentials into an offline
/// test. Source: Pitfall 4, “Weak secrets”.
public enum SecretWeakness: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    case short(bytes: Int)
    case sample
    case repetitive

    public var description: String {
        switch self {
        case .empty: "the secret is empty"
        case .short(let bytes):
            "the secret has \(bytes) bytes; at least \(SecretWeakness.minBytes) are needed (see `gatefold secret new`)"
        case .sample: "the secret is a well-known sample (see `gatefold secret new`)"
        case .repetitive: "the secret repeats too few different characters (see `gatefold secret new`)"
        }
    }

    /// The minimum length of a secret, in bytes.
    public static let minBytes = 16
    static let minDistinctBytes = 6
    static let minUnexpectedBytes = 8
    /// The well-known samples, longest first, so that a short sample does not hide part of a longer one.
    static let samples = [
        "changeme", "change-me", "change_me", "secret", "your-secret", "yoursecret", "password", "passw0rd", "sekrit",
        "default", "example", "sample", "test", "letmein", "qwerty", "123456", "abcdef", "gatefold", "pugpig", "baker",
        "please", "replace", "placeholder", "todo", "dummy", "insecure", "admin", "administrator", "publisher",
        "subscriber", "edition", "magazine", "newspaper", "super", "private", "token", "welcome",
    ].sorted { $0.count > $1.count }
    static let keyboardRows = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890"].map { Array($0.utf8) }
}

extension Secret {
    /// Checks the strength of the secret.
    ///
    /// - Throws: ``SecretWeakness`` if the secret is empty, short or repetitive, or consists of a sample and little
    ///   else.
    public func requireStrength() throws(SecretWeakness) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if text.allSatisfy(\.isWhitespace) { throw .empty }
        if SecretWeakness.samples.contains(text) { throw .sample }
        if bytes.count < SecretWeakness.minBytes { throw .short(bytes: bytes.count) }
        if Set(bytes).count < SecretWeakness.minDistinctBytes || isOnePieceRepeated { throw .repetitive }
        // The remainder after removal of all well-known samples must still be strong enough.
        var rest = text
        for sample in SecretWeakness.samples { rest = rest.split(separator: sample).joined() }
        if Self.unexpected(Array(rest.utf8)) < SecretWeakness.minUnexpectedBytes { throw .sample }
    }

    private var isOnePieceRepeated: Bool {
        (1...bytes.count / 2).contains { period in
            bytes.indices.dropFirst(period).allSatisfy { bytes[$0] == bytes[$0 - period] }
        }
    }

    /// Returns the number of bytes that do not continue the byte before them. A byte continues the previous byte if
    /// it is the same, its neighbour in order, or its neighbour on a keyboard.
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
