/// Why an account was not made or changed.
public enum AccountRefusal: Error, Sendable, Equatable {
    /// The publication's subscribers are managed elsewhere.
    case notOffered
    /// The session is not good any more.
    case notSignedIn
    /// There is somebody of this identifier.
    case identifierTaken
    /// Of the identifier and what the reader says about themselves, this can not be kept.
    case unacceptable(AccountDetails.Field)
    /// The new password is none that may be chosen, see ``PasswordRule``.
    case unacceptablePassword
    /// The present password is another.
    case wrongPassword
    /// The ticket is none, is over, or was used.
    case ticketNotGood
    /// Too many attempts; the time to wait is in whole seconds.
    case throttled(retryAfter: Int)
}

/// What a forgotten password is replaced by: to be mailed to the identifier, and told nobody else.
public struct PasswordReset: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// For ``AccountDesk/setPassword(_:ticket:)``.
    public let ticket: String
    /// What the subscriber signs in with.
    public let identifier: String
    /// Nil where the reader has never been here.
    public let account: Account?

    public var description: String { "PasswordReset(redacted)" }
    public var debugDescription: String { description }
}
