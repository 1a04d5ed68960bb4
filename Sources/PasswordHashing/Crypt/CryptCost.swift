/// The cost of a crypt(3) hash, read from its setting. The limits are a few seconds of one core, and the memory of
/// the most costly hash that Gatefold itself creates.
enum CryptCost {
    static let maxBcryptCost = 15
    static let maxSHARounds = 2_000_000
    static let maxSHA1Rounds = 5_000_000
    static let maxSunMD5Rounds = 1_000_000
    static let maxDESRounds = 1_000_000
    /// The maximum memory of yescrypt in bytes: 1 GiB.
    static let maxYescryptMemory = 1 << 30

    /// Returns whether a hash is within the limits. An unreadable cost is not affordable.
    static func isAffordable(_ scheme: PasswordScheme, _ text: String) -> Bool {
        let letters = Array(text.utf8)
        let parts = HashEncoding.parts(text)
        switch scheme {
        case .bcrypt2a, .bcrypt2b, .bcrypt2x, .bcrypt2y:
            return HashEncoding.number(parts[2]).map { $0 <= maxBcryptCost } ?? false
        case .sha256, .sha512:
            guard parts[2].hasPrefix("rounds=") else { return true }
            return HashEncoding.number(parts[2].dropFirst(7)).map { $0 <= maxSHARounds } ?? false
        case .sha1:
            return HashEncoding.number(parts[2]).map { $0 <= maxSHA1Rounds } ?? false
        case .sunMD5:
            guard let rounds = parts[1].split(separator: ",").dropFirst().first else { return true }
            return rounds.hasPrefix("rounds=")
                && HashEncoding.number(rounds.dropFirst(7)).map { $0 <= maxSunMD5Rounds } ?? false
        case .md5, .des:
            return true
        case .extendedDES:
            let rounds = letters[1..<5].enumerated().reduce(0) {
                $0 | (Crypt64.value($1.element) ?? 0) << (6 * $1.offset)
            }
            return rounds <= maxDESRounds
        case .yescrypt, .gostYescrypt:
            return YescryptParameters(Array(parts[2].utf8))?.isAffordable ?? false
        case .scrypt:
            return scrypt(Array(letters.dropFirst(3)))?.isAffordable ?? false
        default:
            return false
        }
    }

    /// Parses one letter of log₂ N, five of r and five of p.
    private static func scrypt(_ letters: [UInt8]) -> ScryptCost? {
        let values = letters.prefix(11).compactMap(Crypt64.value)
        guard values.count == 11 else { return nil }
        func number(_ range: Range<Int>) -> Int {
            values[range].enumerated().reduce(0) { $0 | $1.element << (6 * $1.offset) }
        }
        return ScryptCost(logarithm: values[0], blockSize: number(1..<6), parallelism: number(6..<11))
    }
}

/// The parameters of a yescrypt setting: numbers of variable length in the alphabet of crypt(3).
struct YescryptParameters {
    private let logarithm: Int
    private let blockSize: Int
    private var parallelism = 1
    private var extraTime = 0
    private var isUnusual = false

    /// - Parameter letters: The text between the second and the third dollar sign.
    init?(_ letters: [UInt8]) {
        var rest = letters[...]
        guard Self.number(&rest, minimum: 0) != nil, let logarithm = Self.number(&rest, minimum: 1),
            let blockSize = Self.number(&rest, minimum: 1)
        else { return nil }
        self.logarithm = logarithm
        self.blockSize = blockSize
        guard !rest.isEmpty else { return }
        guard let present = Self.number(&rest, minimum: 1) else { return nil }
        if present & 1 != 0 {
            guard let value = Self.number(&rest, minimum: 2) else { return nil }
            parallelism = value
        }
        if present & 2 != 0 {
            guard let value = Self.number(&rest, minimum: 1) else { return nil }
            extraTime = value
        }
        // Hash upgrades and the shared read-only memory of clusters, which no publisher uses.
        isUnusual = present & ~3 != 0
    }

    var isAffordable: Bool {
        !isUnusual && (1...30).contains(logarithm) && blockSize <= 1 << 20 && parallelism <= 16 && extraTime <= 4
            && 128 * blockSize << logarithm <= CryptCost.maxYescryptMemory
    }

    private static func number(_ letters: inout ArraySlice<UInt8>, minimum: Int) -> Int? {
        guard let first = letters.popFirst().flatMap(Crypt64.value) else { return nil }
        var (start, end, bits, value) = (0, 47, 0, minimum)
        while first > end {
            value += (end + 1 - start) << bits
            start = end + 1
            end = start + (62 - end) / 2
            bits += 6
            guard bits <= 30 else { return nil }
        }
        value += (first - start) << bits
        while bits > 0 {
            guard let next = letters.popFirst().flatMap(Crypt64.value) else { return nil }
            bits -= 6
            value += next << bits
        }
        return value
    }
}
