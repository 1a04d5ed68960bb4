/// The pair an app sends as HTTP Basic when it downloads an edition.
public struct EditionCredentials: Sendable, Equatable {
    /// The salt.
    public let userid: String
    public let password: String

    public init(userid: String, password: String) {
        self.userid = userid
        self.password = password
    }
}

/// Which kind of salt a publication issues.
public enum SaltForm: String, Sendable, CaseIterable {
    /// Random; good for as long as the secret is.
    case plain
    /// Carries, encrypted, an expiry and the session it came from; see ``SealedSalt``.
    case sealed
}
