import Primitives

/// A portable phpass hash: `$P$` (WordPress and many others) or `$H$` (phpBB), log₂ of the rounds, eight letters of
/// salt and 22 letters of digest. The digest is iterated MD5.
struct PHPassPassword: StoredPassword {
    let scheme = PasswordScheme.phpass
    private let hash: StretchedDigest

    init?(_ text: String) {
        guard text.hasPrefix("$P$") || text.hasPrefix("$H$"),
            let hash = StretchedDigest(text.dropFirst(3), .md5, letters: 22)
        else { return nil }
        self.hash = hash
    }

    private init(hash: StretchedDigest) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) -> Bool { hash.matches(password) }
    var dummyHash: PHPassPassword { PHPassPassword(hash: hash.dummyHash) }
}

/// A Drupal 7 hash, `$S$`: the phpass format with SHA-512 and 43 letters of digest.
struct DrupalPassword: StoredPassword {
    let scheme = PasswordScheme.drupal
    private let hash: StretchedDigest

    init?(_ text: String) {
        guard text.hasPrefix("$S$"), let hash = StretchedDigest(text.dropFirst(3), .sha512, letters: 43) else {
            return nil
        }
        self.hash = hash
    }

    private init(hash: StretchedDigest) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) -> Bool { hash.matches(password) }
    var dummyHash: DrupalPassword { DrupalPassword(hash: hash.dummyHash) }
}

/// An iterated digest: first of the salt and password, then repeatedly of the previous digest and password.
struct StretchedDigest: Sendable {
    private let function: DigestFunction
    /// The base-2 logarithm of the number of rounds.
    private let logarithm: Int
    private let salt: [UInt8]
    private let digest: [UInt8]

    static let maxLogarithm = 20

    /// - Parameter text: One letter of cost, eight of salt and `letters` of digest.
    init?(_ text: Substring, _ function: DigestFunction, letters: Int) {
        let bytes = Array(text.utf8)
        guard bytes.count == 9 + letters, Crypt64.isAll(bytes), let logarithm = Crypt64.value(bytes[0]),
            (7...30).contains(logarithm)
        else { return nil }
        self.function = function
        self.logarithm = logarithm
        salt = Array(bytes[1..<9])
        digest = Array(bytes[9...])
    }

    private init(dummyHash other: StretchedDigest) {
        function = other.function
        logarithm = other.logarithm
        salt = other.salt
        digest = Array(repeating: UInt8(ascii: "."), count: other.digest.count)
    }

    var isAffordable: Bool { logarithm <= Self.maxLogarithm }

    func matches(_ password: [UInt8]) -> Bool {
        var computed = function.digest(salt + password)
        for _ in 0..<(1 << logarithm) { computed = function.digest(computed + password) }
        return isEqualInConstantTime(Crypt64.encode(computed).prefix(digest.count), digest)
    }

    var dummyHash: StretchedDigest { StretchedDigest(dummyHash: self) }
}
