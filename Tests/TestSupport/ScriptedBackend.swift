public import Gatefold
import Synchronization

/// A backend with scripted results that counts its queries.
public final class ScriptedBackend: SubscriberBackend {
    public struct Script: Sendable {
        public var authenticate: @Sendable (Credentials) async throws -> AuthenticationResult
        public var subscription: @Sendable (Subscriber) async throws -> Subscription
        /// The freshness of the subscriptions.
        public var freshness = Freshness.live
    }

    public let name: String
    private let script: Mutex<Script>
    private let queried = Mutex<[String]>([])

    /// Authenticates every reader whose `password` is `right`, by identifier, with an active subscription.
    public init(name: String = "scripted") {
        self.name = name
        script = Mutex(
            Script(
                authenticate: { credentials in
                    credentials["password"] == "right"
                        ? .authenticated(Subscriber(backend: name, key: credentials.identifier))
                        : .rejected(message: nil)
                },
                subscription: { _ in Subscription(state: .active) }))
    }

    public func authenticateWith(_ response: @escaping @Sendable (Credentials) async throws -> AuthenticationResult) {
        script.withLock { $0.authenticate = response }
    }

    public func response(_ response: @escaping @Sendable (Subscriber) async throws -> Subscription) {
        script.withLock { $0.subscription = response }
    }

    public func response(_ subscription: Subscription, _ freshness: Freshness = .live) {
        response { _ in subscription }
        script.withLock { $0.freshness = freshness }
    }

    /// Makes every query fail from now on.
    public func startOutage() {
        script.withLock {
            $0.authenticate = { _ in throw ScriptedFailure() }
            $0.subscription = { _ in throw ScriptedFailure() }
        }
    }

    /// The queries so far, such as `authenticate` and `subscription`.
    public var queries: [String] { queried.withLock { $0 } }

    public func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<
        AuthenticationResult
    > {
        queried.withLock { $0.append("authenticate") }
        return Fetched(try await script.withLock(\.authenticate)(credentials))
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        queried.withLock { $0.append("subscription") }
        let script = script.withLock { $0 }
        return Fetched(try await script.subscription(subscriber), script.freshness)
    }

    public struct ScriptedFailure: Error {
        public init() {}
    }
}
