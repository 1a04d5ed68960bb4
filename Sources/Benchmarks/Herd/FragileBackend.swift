import Gatefold
import Synchronization

/// A subscriber system that answers slowly, and breaks when it is asked too many questions at once.
final class FragileBackend: SubscriberBackend {
    struct Broken: Error {}

    struct Asked: Sendable {
        let reader: Int
        /// Of the request that began the question.
        let number: Int
    }

    private struct State {
        var latency: Duration
        var present = 0
        var most = 0
        var broke = 0
        var asked: [Asked] = []
    }

    let name = "legacy"
    private let breaksAbove: Int
    private let state: Mutex<State>

    init(latency: Duration, breaksAbove: Int) {
        self.breaksAbove = breaksAbove
        state = Mutex(State(latency: latency))
    }

    /// The questions in order.
    var asked: [Asked] { state.withLock(\.asked) }
    var most: Int { state.withLock(\.most) }
    /// How often it broke.
    var broke: Int { state.withLock(\.broke) }

    /// Begins to count anew, with another latency.
    func begin(latency: Duration) {
        state.withLock { $0 = State(latency: latency) }
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        .recognised(Subscriber(backend: name, key: credentials.identifier))
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let (latency, isTooMuch) = state.withLock { state in
            state.present += 1
            state.most = max(state.most, state.present)
            state.asked.append(Asked(reader: Int(subscriber.key) ?? 0, number: HerdLog.number))
            let isTooMuch = state.present > breaksAbove
            if isTooMuch { state.broke += 1 }
            return (state.latency, isTooMuch)
        }
        defer { state.withLock { $0.present -= 1 } }
        if latency > .zero { try await Task.sleep(for: latency) }
        if isTooMuch { throw Broken() }
        return Subscription(state: .active, entitlement: .allEditions)
    }
}
