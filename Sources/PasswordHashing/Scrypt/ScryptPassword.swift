import Primitives

/// A hash in passlib's format `$scrypt$ln=16,r=8,p=1$salt$digest`.
struct PasslibScrypt: StoredPassword {
    let scheme = PasswordScheme.scryptKDF
    private let hash: ScryptHash

    init?(_ text: String) {
        let parts = HashEncoding.parts(text)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let costs = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, costs[0].hasPrefix("ln="), costs[1].hasPrefix("r="), costs[2].hasPrefix("p="),
            let logarithm = HashEncoding.number(costs[0].dropFirst(3)),
            let blockSize = HashEncoding.number(costs[1].dropFirst(2)),
            let parallelism = HashEncoding.number(costs[2].dropFirst(2)),
            let salt = HashEncoding.unpaddedBase64(parts[3]), let digest = HashEncoding.unpaddedBase64(parts[4]),
            digest.count == 32,
            let hash = ScryptHash(
                cost: ScryptCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism), salt: salt,
                digest: digest)
        else { return nil }
        self.hash = hash
    }

    private init(hash: ScryptHash) { self.hash = hash }

    var isAffordable: Bool { hash.cost.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var dummyHash: PasslibScrypt { PasslibScrypt(hash: hash.dummyHash) }
}

/// A hash in Django's format `scrypt$16384$salt$8$1$digest`.
struct DjangoScrypt: StoredPassword {
    let scheme = PasswordScheme.scryptKDF
    private let hash: ScryptHash

    init?(_ text: String) {
        let parts = HashEncoding.parts(text)
        guard parts.count == 6, parts[0] == "scrypt", let rounds = HashEncoding.number(parts[1]), rounds > 1,
            rounds & (rounds - 1) == 0, let blockSize = HashEncoding.number(parts[3]),
            let parallelism = HashEncoding.number(parts[4]), let digest = HashEncoding.base64(parts[5]),
            digest.count == 64,
            let hash = ScryptHash(
                cost: ScryptCost(
                    logarithm: rounds.trailingZeroBitCount, blockSize: blockSize, parallelism: parallelism),
                salt: Array(parts[2].utf8), digest: digest)
        else { return nil }
        self.hash = hash
    }

    private init(hash: ScryptHash) { self.hash = hash }

    var isAffordable: Bool { hash.cost.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var dummyHash: DjangoScrypt { DjangoScrypt(hash: hash.dummyHash) }
}

/// The common part of the scrypt formats.
struct ScryptHash: Sendable {
    let cost: ScryptCost
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// - Parameter digest: A digest whose size is fixed in each format. A shorter digest is a prefix of a longer
    ///   one, and would match.
    init?(cost: ScryptCost, salt: [UInt8], digest: [UInt8]) {
        guard (1...256).contains(salt.count) else { return nil }
        self.cost = cost
        self.salt = salt
        self.digest = digest
    }

    private init(dummyHash other: ScryptHash) {
        cost = other.cost
        salt = other.salt
        digest = Array(repeating: 0, count: other.digest.count)
    }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        isEqualInConstantTime(try cost.hash(password, salt: salt, size: digest.count), digest)
    }

    var dummyHash: ScryptHash { ScryptHash(dummyHash: self) }
}
