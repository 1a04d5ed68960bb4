/// A parsed stored password that a typed password can be checked against. Each format has its own type.
package protocol StoredPassword: Sendable {
    /// The scheme, used to count the work.
    var scheme: PasswordScheme { get }

    /// A Boolean value that indicates whether a check stays within the cost limit of one sign-in. Without a limit,
    /// anyone who can write the subscriber table could keep every hashing thread busy with a few costly hashes.
    ///
    /// Source: Pitfall 19, “Brute force and lockout”.
    var isAffordable: Bool { get }

    /// A Boolean value that indicates whether a check takes a few microseconds at most, less than a change of threads.
    /// Default: false.
    var isQuick: Bool { get }

    /// Compares a password in constant time.
    ///
    /// - Parameter password: A password of 1 to ``PasswordHasher/maxPasswordLength`` bytes.
    /// - Throws: ``PasswordError`` if the hash cannot be computed.
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool

    /// A dummy hash with the same format, cost and salt but without the digest. A check takes as much work and
    /// matches no password.
    var dummyHash: Self { get }
}

extension StoredPassword {
    package var isQuick: Bool { false }
}

/// A parser of one format, which returns nil for any other text.
package typealias PasswordFormat = @Sendable (StoredProof) -> (any StoredPassword)?

/// The stored counterpart of a reader's proof in a subscriber system: a hash, a plain text or a name, with its salt
/// if the salt is stored separately.
package struct StoredProof: Sendable, Equatable {
    package var value: String
    package var salt: String?

    package init(value: String, salt: String? = nil) {
        self.value = value
        self.salt = salt
    }
}
