/// A subscriber system in which readers register, change their passwords and delete their accounts.
///
/// An error means that the system could not be queried or could not store a change.
public protocol SubscriberRegistry: Sendable {
    /// The name of the backend that the subscribers belong to.
    var name: String { get }

    /// The name of the credentials field with the password.
    var passwordField: String { get }

    /// Creates a subscriber without a subscription.
    ///
    /// - Returns: The subscriber, or nil if the identifier already exists. The identifier is folded like all
    ///   others.
    func register(identifier: String, password: String) async throws -> Subscriber?

    /// Returns the subscriber with this identifier, or nil if there is none.
    func subscriber(identifiedBy identifier: String) async throws -> Subscriber?

    /// Returns the sign-in identifier of a subscriber, or nil if the subscriber does not exist.
    func identifier(of subscriber: Subscriber) async throws -> String?

    /// Returns bytes that change with the password without revealing it, or nil if the subscriber does not exist.
    func passwordRevision(of subscriber: Subscriber) async throws -> [UInt8]?

    /// Sets a password if the current password still has this mark.
    ///
    /// - Returns: `false` if the mark differs or the subscriber does not exist.
    func setPassword(_ password: String, of subscriber: Subscriber, replacing revision: [UInt8]) async throws -> Bool

    /// Deletes a subscriber and all related data permanently.
    ///
    /// - Returns: `false` if the subscriber did not exist.
    func erase(_ subscriber: Subscriber) async throws -> Bool
}
