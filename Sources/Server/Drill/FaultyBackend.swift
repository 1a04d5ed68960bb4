import Foundation
import Gatefold
import Synchronization

/// A subscriber backend with a bad day made on purpose, and a count of what reached it.
final class FaultyBackend: SubscriberBackend {
    struct Injected: BackendFailure {
        var cause: String { "the drill said so" }
    }

    /// What the backend saw.
    struct Load: Sendable, Equatable {
        var asked = 0
        var present = 0
        /// The most questions at the same time.
        var most = 0
    }

    private struct State {
        var fault: DrillFault?
        var since = ContinuousClock.now
        var load = Load()
    }

    let wrapped: any SubscriberBackend
    private let random: RandomSource
    private let state = Mutex(State())

    init(_ wrapped: any SubscriberBackend, random: RandomSource) {
        self.wrapped = wrapped
        self.random = random
    }

    var name: String { wrapped.name }

    func answersFor(_ backend: String) -> Bool { wrapped.answersFor(backend) }

    /// Begins or, with nil, ends the bad day, and counts anew.
    func set(_ fault: DrillFault?) {
        state.withLock { state in
            state.fault = fault
            state.since = .now
            state.load.asked = 0
            state.load.most = state.load.present
        }
    }

    var load: Load { state.withLock(\.load) }

    func reads(_ form: Credentials.Form) -> Bool { wrapped.reads(form) }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        try await suffer { try await self.wrapped.recognise(credentials, inquiry: inquiry) }
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        try await suffer { try await self.wrapped.subscription(of: subscriber, inquiry: inquiry) }
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        try await suffer { try await self.wrapped.renew(subscriber, inquiry: inquiry) }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        try await suffer { try await self.wrapped.verdict(on: edition, for: subscriber, inquiry: inquiry) }
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { wrapped.grantsFeed(to: subscriber) }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        try await suffer { try await self.wrapped.signOut(subscriber, inquiry: inquiry) }
    }

    func health() async throws {
        try await suffer { try await self.wrapped.health() }
    }

    private func suffer<Answer: Sendable>(_ question: () async throws -> Answer) async throws -> Answer {
        let (fault, since) = state.withLock { state in
            state.load.asked += 1
            state.load.present += 1
            state.load.most = max(state.load.most, state.load.present)
            return (state.fault, state.since)
        }
        defer { state.withLock { $0.load.present -= 1 } }
        switch fault {
        case nil:
            break
        case .outage:
            throw Injected()
        case .delay(let seconds):
            try await Task.sleep(for: .seconds(seconds))
        case .errors(let share):
            let draw = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if Double(draw) < share * Double(UInt32.max) { throw Injected() }
        case .flapping(let down, let up):
            let elapsed = (ContinuousClock.now - since) / Duration.seconds(1)
            if elapsed.truncatingRemainder(dividingBy: down + up) < down { throw Injected() }
        }
        return try await question()
    }
}
