/// A subscriber system in which readers register, change their passwords and leave by themselves.
///
/// Thrown errors mean that it could not be asked or could not keep it.
public protocol SubscriberRegistry: Sendable {
    /// The name of the backend whose subscribers these are.
    var name: String { get }

    /// The credentials' field with the password.
    var passwordField: String { get }

    /// Makes a subscriber who has no subscription yet.
    ///
    /// - Returns: nil when there is one of this identifier, which is folded like every other.
    func register(identifier: String, password: String) async throws -> Subscriber?

    /// The subscriber of this identifier; nil when there is none.
    func subscriber(identifiedBy identifier: String) async throws -> Subscriber?

    /// What a subscriber signs in with; nil when there is no such subscriber.
    func identifier(of subscriber: Subscriber) async throws -> String?

    /// Bytes that change whenever the password does, and tell nothing of it; nil when there is no such subscriber.
    func passwordMark(of subscriber: Subscriber) async throws -> [UInt8]?

    /// Sets a password, if the present one is still the one with this mark.
    ///
    /// - Returns: false when it is not, or there is no such subscriber.
    func setPassword(_ password: String, of subscriber: Subscriber, replacing mark: [UInt8]) async throws -> Bool

    /// Deletes a subscriber and all that belongs to it, for good.
    ///
    /// - Returns: false when there was none.
    func erase(_ subscriber: Subscriber) async throws -> Bool
}
