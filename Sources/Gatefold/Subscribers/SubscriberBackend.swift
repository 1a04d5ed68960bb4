/// An external system that authenticates subscribers.
///
/// Results are values. An error always means that the query failed. It never counts as a rejection.
///
/// A backend that can do more conforms to further protocols, such as ``EditionDecidingBackend`` and
/// ``RenewingBackend``. ``ResolvedBackend`` has the behavior of a backend that does not.
public protocol SubscriberBackend: Sendable {
    /// The name of this backend in the configuration. It is part of every subscriber and every token.
    var name: String { get }

    /// Authenticates credentials and returns their subscriber.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult>

    /// Returns the subscriber's current subscription. A subscriber that no longer exists has the state `unknown`.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription>

    /// Checks the backend and throws if it is unavailable. Default: always available.
    func health() async throws
}

extension SubscriberBackend {
    public func health() async throws {}
}
