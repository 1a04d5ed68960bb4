public import Gatefold
import Synchronization

/// A backend that answers what a test wrote for it, and counts how often it was asked.
public final class ScriptedBackend: SubscriberBackend {
    public struct Script: Sendable {
        public var recognise: @Sendable (Credentials) async throws -> Recognition
        public var subscription: @Sendable (Subscriber) async throws -> Subscription
    }

    public let name: String
    private let script: Mutex<Script>
    private let asked = Mutex<[String]>([])

    /// Recognises everybody whose `password` is `right`, by their identifier, with an active subscription.
    public init(name: String = "scripted") {
        self.name = name
        script = Mutex(
            Script(
                recognise: { credentials in
                    credentials["password"] == "right"
                        ? .recognised(Subscriber(backend: name, key: credentials.identifier))
                        : .notRecognised(message: nil)
                },
                subscription: { _ in Subscription(state: .active) }))
    }

    public func recogniseBy(_ answer: @escaping @Sendable (Credentials) async throws -> Recognition) {
        script.withLock { $0.recognise = answer }
    }

    public func answer(_ answer: @escaping @Sendable (Subscriber) async throws -> Subscription) {
        script.withLock { $0.subscription = answer }
    }

    public func answer(_ subscription: Subscription) {
        answer { _ in subscription }
    }

    /// Every question from now on can not be asked.
    public func breakDown() {
        script.withLock {
            $0.recognise = { _ in throw BrokenDown() }
            $0.subscription = { _ in throw BrokenDown() }
        }
    }

    /// The questions asked so far, such as `recognise` and `subscription`.
    public var questions: [String] { asked.withLock { $0 } }

    public func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        asked.withLock { $0.append("recognise") }
        return try await script.withLock(\.recognise)(credentials)
    }

    public func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        asked.withLock { $0.append("subscription") }
        return try await script.withLock(\.subscription)(subscriber)
    }

    public struct BrokenDown: Error {
        public init() {}
    }
}
