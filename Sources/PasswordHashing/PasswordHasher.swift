public import Primitives

/// A hasher that creates yescrypt hashes and checks stored hashes of every supported format.
///
/// It blocks its thread for the time that the cost requires. ``PasswordVerifier`` runs it on threads that may
/// block.
public struct PasswordHasher: Sendable {
    /// The maximum length of a password in bytes of UTF-8: one less than the buffer of crypt(3).
    public static let maxPasswordLength = 511
    /// The default cost: about 17 ms and 16 MiB on a server of 2024. Each further step doubles both.
    public static let defaultCost = 5
    public static let costs = 1...11

    private static let yescrypt = "$y$"

    public let cost: Int
    private let pepper: Secret?
    private let random: RandomSource
    private let didHash: @Sendable (PasswordScheme) -> Void
    private let currentPrefix: String
    private let currentDummyHash: CryptPassword

    /// - Parameters:
    ///   - cost: The cost of new hashes, in the units of crypt_gensalt(3) for yescrypt; clamped to ``costs``. Default:
    ///     5. Range: 1 to 11.
    ///   - pepper: The secret of keyed hashes (see `KeyedPassword`).
    ///   - random: The source of randomness.
    ///   - didHash: Called before each hash is computed.
    public init(
        cost: Int = PasswordHasher.defaultCost, pepper: Secret? = nil, random: RandomSource = .system,
        didHash: @escaping @Sendable (PasswordScheme) -> Void = { _ in }
    ) throws(PasswordError) {
        self.cost = min(max(cost, Self.costs.lowerBound), Self.costs.upperBound)
        self.pepper = pepper
        self.random = random
        self.didHash = didHash
        let sample = try CryptFunction.setting(
            prefix: Self.yescrypt, cost: self.cost, random: [UInt8](repeating: 0, count: 16))
        // `$y$`, the parameters and the following `$`: the common prefix of all hashes of this cost.
        currentPrefix =
            sample.split(separator: "$", omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "$") + "$"
        guard let whole = CryptPassword("\(sample)$" + String(repeating: ".", count: 43)) else { throw .hashingFailed }
        currentDummyHash = whole.dummyHash
    }

    /// Hashes a password for storage.
    public func hash(_ password: String) throws(PasswordError) -> String {
        try hash(bytes(of: password))
    }

    /// Hashes a password in the format for large imports of plain passwords. See `KeyedPassword` for when it is
    /// safe.
    public func keyedHash(_ password: String) throws(PasswordError) -> String {
        guard let pepper else { throw .pepperMissing }
        return KeyedPassword(try bytes(of: password), pepper: pepper, salt: random.bytes(KeyedPassword.saltSize))
            .description
    }

    /// Checks a password, and hashes it again if the stored hash is not current, for a backend that stores the
    /// better hash. The work is the same for known and unknown users.
    ///
    /// For an unknown user, a wrong password, a right password and a keyed hash, the check computes exactly one
    /// yescrypt hash at the current cost. A stored hash of another scheme or cost is computed in addition, which
    /// adds its time. The difference ends with the reader's first sign-in, because the hash at the current cost
    /// then replaces the stored hash. Until then the difference reveals nothing if an unknown user is checked
    /// against the hash of another reader, as `DummyHashes` selects it.
    ///
    /// Source: Pitfall 6, “User enumeration”.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - stored: The stored hash; nil for an unknown user or a user without a password.
    /// - Throws: ``PasswordError`` if the stored hash is unreadable or cannot be computed.
    public func check(_ password: String, against stored: String?) throws(PasswordError) -> PasswordVerdict {
        guard let typed = try? bytes(of: password) else {
            _ = try hash(Array("-".utf8))
            return .wrong
        }
        guard let stored else {
            _ = try hash(typed)
            return .wrong
        }
        if stored.hasPrefix(currentPrefix), let current = CryptPassword(stored) {
            return try matches(typed, current) ? .right(upgradedHash: nil) : .wrong
        }
        let isCorrect: Bool
        if let keyed = KeyedPassword(stored) {
            guard let pepper else { throw .pepperMissing }
            isCorrect = keyed.matches(typed, pepper: pepper)
        } else {
            guard let form = PasswordFormats.selfDescribing.read(StoredProof(value: stored)) else {
                throw .unreadableHash
            }
            isCorrect = try matches(typed, form)
        }
        let fresh = try hash(typed)
        return isCorrect ? .right(upgradedHash: fresh) : .wrong
    }

    /// Computes one stored hash and nothing else, and compares the result.
    ///
    /// - Parameter typed: The typed password; nil if it cannot be a password. The work is the same in both cases.
    func matches(_ typed: [UInt8]?, _ stored: any StoredPassword) throws(PasswordError) -> Bool {
        guard stored.isAffordable else { throw .tooCostly }
        didHash(stored.scheme)
        let isCorrect = try stored.matches(typed ?? Array("-".utf8))
        return isCorrect && typed != nil
    }

    /// A dummy hash with the cost of a new hash, which matches no password.
    var dummyHash: any StoredPassword { currentDummyHash }

    private func bytes(of password: String) throws(PasswordError) -> [UInt8] {
        let bytes = Array(password.utf8)
        guard (1...Self.maxPasswordLength).contains(bytes.count), !bytes.contains(0) else {
            throw .unacceptablePassword
        }
        return bytes
    }

    private func hash(_ password: [UInt8]) throws(PasswordError) -> String {
        let setting = try CryptFunction.setting(
            prefix: Self.yescrypt, cost: cost, random: random.bytes(16))
        didHash(.yescrypt)
        return try CryptFunction.hash(password, setting: setting)
    }
}

/// The result of a password check.
public enum PasswordVerdict: Sendable, Equatable {
    case wrong
    /// - Parameter upgradedHash: A hash of the same password at the current cost, to replace the stored hash; nil if
    ///   the stored hash is current.
    case right(upgradedHash: String?)
}
