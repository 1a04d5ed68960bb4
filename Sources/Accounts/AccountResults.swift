public import Foundation
public import Gatefold

/// The reason why an account was not created or changed.
public enum AccountError: Error, Sendable, Equatable {
    /// The publication's subscribers are managed elsewhere.
    case notOffered
    /// The session is no longer valid.
    case notSignedIn
    /// A subscriber with this identifier exists.
    case identifierTaken
    /// This part of the identifier or details cannot be stored.
    case invalidField(AccountDetails.Field)
    /// The new password violates the ``PasswordRule``.
    case unacceptablePassword
    /// The current password is different.
    case wrongPassword
    /// The ticket is invalid, expired or used.
    case resetTokenInvalid
    /// Too many attempts. The wait is in whole seconds.
    case throttled(retryAfter: Int)
}

/// The ticket to replace a forgotten password. It must be sent to the identifier by e-mail, and to no other
/// recipient.
public struct PasswordReset: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The ticket for ``AccountService/setPassword(_:resetToken:)``.
    public let resetToken: String
    /// The subscriber's sign-in identifier.
    public let identifier: String
    /// The account, or nil if the reader has never signed in here.
    public let account: Account?
    /// The owner that represents the subscriber.
    public let owner: PurchaseOwner
    /// The time at which the ticket expires.
    public let expiresAt: Date

    public var description: String { "PasswordReset(redacted)" }
    public var debugDescription: String { description }
}
