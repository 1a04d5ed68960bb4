/// The credentials that an app sends as HTTP Basic when it downloads an edition.
public struct EditionCredentials: Sendable, Equatable {
    /// The salt.
    public let userid: String
    public let password: String

    public init(userid: String, password: String) {
        self.userid = userid
        self.password = password
    }
}

/// The type of salt that a publication issues.
public enum SaltFormat: String, Sendable, CaseIterable {
    /// A random salt, valid while the secret is valid.
    case plain
    /// A salt that also contains an encrypted expiry and session reference; see ``SealedSalt``.
    case sealed
}
