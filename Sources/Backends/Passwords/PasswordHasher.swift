public import Gatefold

/// Makes and checks password hashes: new ones in yescrypt, stored ones in every form there is.
///
/// Blocks its thread for as long as the cost says; ``PasswordVerifier`` runs it where that does no harm.
public struct PasswordHasher: Sendable {
    /// In bytes of UTF-8: one less than crypt(3) has room for.
    public static let longestPassword = 511
    /// About 17 ms and 16 MiB on a server of 2024; each step more doubles both.
    public static let defaultCost = 5
    public static let costs = 1...11

    private static let yescrypt = "$y$"

    public let cost: Int
    private let pepper: Secret?
    private let random: RandomSource
    private let didHash: @Sendable (PasswordScheme) -> Void
    private let currentPrefix: String
    private let currentDecoy: CryptPassword

    /// - Parameters:
    ///   - cost: of new hashes, as crypt_gensalt(3) counts for yescrypt; held within ``costs``.
    ///   - pepper: the secret of keyed hashes (see ``KeyedPassword``).
    ///   - didHash: told of every hash, before it is computed.
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
        // `$y$`, the parameters and the `$` behind them: what all hashes of this cost begin with.
        currentPrefix =
            sample.split(separator: "$", omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "$") + "$"
        guard let whole = CryptPassword("\(sample)$" + String(repeating: ".", count: 43)) else { throw .hashingFailed }
        currentDecoy = whole.decoy
    }

    /// Hashes a password for keeping.
    public func hash(_ password: String) throws(PasswordError) -> String {
        try hash(bytes(of: password))
    }

    /// The form for large imports of plain passwords; see ``KeyedPassword`` for when it is safe.
    public func keyedHash(_ password: String) throws(PasswordError) -> String {
        guard let pepper else { throw .pepperMissing }
        return KeyedPassword(try bytes(of: password), pepper: pepper, salt: random.bytes(KeyedPassword.saltSize))
            .description
    }

    /// Checks a password, and hashes it anew where the stored hash is not what it would be today; for a backend that keeps the
    /// better hash. With the same work whoever asks (PITFALLS row 6).
    ///
    /// Exactly one yescrypt hash at the present cost is computed for an unknown user, for a wrong and for a right password,
    /// and for a keyed hash. A stored hash of another scheme or cost is computed in addition, and that much longer it takes;
    /// the difference ends with the reader's first sign-in, because the one hash at the present cost then is the new hash.
    /// Until then it tells nothing where an unknown user is checked against somebody else's hash, as ``Decoys`` has it.
    ///
    /// - Parameter stored: nil for a user without a password, or where nobody has one.
    /// - Throws: ``PasswordError`` when the stored hash can not be read or computed.
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
            return try matches(typed, current) ? .right(betterHash: nil) : .wrong
        }
        let isRight: Bool
        if let keyed = KeyedPassword(stored) {
            guard let pepper else { throw .pepperMissing }
            isRight = keyed.matches(typed, pepper: pepper)
        } else {
            guard let form = PasswordForms.selfEvident.read(StoredProof(value: stored)) else { throw .unreadableHash }
            isRight = try matches(typed, form)
        }
        let fresh = try hash(typed)
        return isRight ? .right(betterHash: fresh) : .wrong
    }

    /// Does the work of one stored form and no other.
    ///
    /// - Parameter typed: nil when nobody's password can be what was typed: the work is done all the same.
    func matches(_ typed: [UInt8]?, _ stored: any StoredPassword) throws(PasswordError) -> Bool {
        guard stored.isAffordable else { throw .tooCostly }
        didHash(stored.scheme)
        let isRight = try stored.matches(typed ?? Array("-".utf8))
        return isRight && typed != nil
    }

    /// Costs what a new hash costs, and is nobody's.
    var decoy: any StoredPassword { currentDecoy }

    private func bytes(of password: String) throws(PasswordError) -> [UInt8] {
        let bytes = Array(password.utf8)
        guard (1...Self.longestPassword).contains(bytes.count), !bytes.contains(0) else {
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

/// The outcome of checking a password.
public enum PasswordVerdict: Sendable, Equatable {
    case wrong
    /// - Parameter betterHash: the same password at the present cost, to be kept in place of the stored hash; nil when
    ///   that is up to date.
    case right(betterHash: String?)
}
