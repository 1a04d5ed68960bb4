import Gatefold
import Synchronization

/// A subscriber system that responds slowly and fails under too many concurrent queries.
final class FragileBackend: SubscriberBackend {
    struct SimulatedError: Error {}

    struct ReceivedQuery: Sendable {
        let reader: Int
        /// The number of the request that started the query.
        let number: Int
    }

    private struct State {
        var latency: Duration
        var present = 0
        var peak = 0
        var failureCount = 0
        var queried: [ReceivedQuery] = []
    }

    let name = "legacy"
    private let failureThreshold: Int
    private let state: Mutex<State>

    init(latency: Duration, failureThreshold: Int) {
        self.failureThreshold = failureThreshold
        state = Mutex(State(latency: latency))
    }

    /// The queries in order.
    var queried: [ReceivedQuery] { state.withLock(\.queried) }
    var peak: Int { state.withLock(\.peak) }
    /// The number of failures.
    var failureCount: Int { state.withLock(\.failureCount) }

    /// Resets the counters and sets another latency.
    func begin(latency: Duration) {
        state.withLock { $0 = State(latency: latency) }
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        .authenticated(Subscriber(backend: name, key: credentials.identifier))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let (latency, isTooMuch) = state.withLock { state in
            state.present += 1
            state.peak = max(state.peak, state.present)
            state.queried.append(ReceivedQuery(reader: Int(subscriber.key) ?? 0, number: HerdLog.number))
            let isTooMuch = state.present > failureThreshold
            if isTooMuch { state.failureCount += 1 }
            return (state.latency, isTooMuch)
        }
        defer { state.withLock { $0.present -= 1 } }
        if latency > .zero { try await Task.sleep(for: latency) }
        if isTooMuch { throw SimulatedError() }
        return Fetched(Subscription(state: .active, entitlement: .allEditions))
    }
}
