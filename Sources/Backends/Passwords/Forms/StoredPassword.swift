import Gatefold

/// A stored password, understood: what it takes to check a typed one against it. One type per form.
protocol StoredPassword: Sendable {
    /// For those who count the work.
    var scheme: PasswordScheme { get }

    /// Whether a check stays within what one reader's sign-in may cost. Whoever writes the subscriber table could otherwise
    /// keep every hashing thread busy with a few costly hashes (PITFALLS row 19).
    var isAffordable: Bool { get }

    /// Compares in constant time.
    ///
    /// - Parameter password: 1 to ``PasswordHasher/longestPassword`` bytes.
    /// - Throws: ``PasswordError`` when it can not be computed.
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool

    /// The same form, cost and salt with nothing in place of the digest: as much work to check, and no password's.
    var decoy: Self { get }
}

/// Reads one form; nil for any other text.
typealias PasswordForm = @Sendable (StoredProof) -> (any StoredPassword)?

/// What a subscriber system has stored for a reader's proof: a hash, a plain text or a name, with its salt where that is
/// kept apart.
struct StoredProof: Sendable, Equatable {
    var value: String
    var salt: String?

    init(value: String, salt: String? = nil) {
        self.value = value
        self.salt = salt
    }
}
