import Foundation
import Gatefold
import Primitives
import Synchronization

/// A subscriber backend with an injected fault and a count of the queries that reached it.
final class FaultyBackend: WrappingBackend {
    struct InjectedFailure: BackendFailure {
        var cause: String { "simulated by the drill" }
    }

    /// The load that the backend received.
    struct Load: Sendable, Equatable {
        var queries = 0
        var present = 0
        /// The maximum number of concurrent queries.
        var peak = 0
    }

    private struct State {
        var fault: DrillFault?
        var since = ContinuousClock.now
        var load = Load()
    }

    let wrapped: ResolvedBackend
    private let random: RandomSource
    private let state = Mutex(State())

    init(_ wrapped: any SubscriberBackend, random: RandomSource) {
        self.wrapped = ResolvedBackend(wrapped)
        self.random = random
    }

    /// Starts the fault, or ends it if `fault` is nil, and resets the counts.
    func set(_ fault: DrillFault?) {
        state.withLock { state in
            state.fault = fault
            state.since = .now
            state.load.queries = 0
            state.load.peak = state.load.present
        }
    }

    var load: Load { state.withLock(\.load) }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        try await injectFault { try await self.wrapped.authenticate(credentials, context: context) }
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try await injectFault { try await self.wrapped.subscription(of: subscriber, context: context) }
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        try await injectFault { try await self.wrapped.renew(subscriber, context: context) }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        try await injectFault { try await self.wrapped.verdict(on: edition, for: subscriber, context: context) }
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        try await injectFault { try await self.wrapped.signOut(subscriber, context: context) }
    }

    func health() async throws {
        try await injectFault { try await self.wrapped.health() }
    }

    private func injectFault<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        let (fault, since) = state.withLock { state in
            state.load.queries += 1
            state.load.present += 1
            state.load.peak = max(state.load.peak, state.load.present)
            return (state.fault, state.since)
        }
        defer { state.withLock { $0.load.present -= 1 } }
        switch fault {
        case nil:
            break
        case .outage:
            throw InjectedFailure()
        case .delay(let seconds):
            try await Task.sleep(for: .seconds(seconds))
        case .errors(let share):
            let draw = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if Double(draw) < share * Double(UInt32.max) { throw InjectedFailure() }
        case .flapping(let down, let up):
            let elapsed = (ContinuousClock.now - since) / Duration.seconds(1)
            if elapsed.truncatingRemainder(dividingBy: down + up) < down { throw InjectedFailure() }
        }
        return try await operation()
    }
}
