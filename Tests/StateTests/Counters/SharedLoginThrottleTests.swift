import Foundation
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@Suite("Login throttle of several nodes", .stateServers) struct SharedLoginThrottleTests {
    private static let key = PseudonymKey(Secret([UInt8](repeating: 7, count: 32)))
    private static let ada: [SubscriberPseudonym] = [subscriber(1)]

    private static func attempt(_ password: String, device: String? = nil, from address: String = "192.0.2.1")
        -> LoginAttempt
    {
        key.attempt(
            Credentials(identifier: "ada@example.com", fields: ["password": password]), publication: daily,
            device: device, client: ClientAddress(address))
    }

    private static func throttles(_ stores: [any SharedCounterStore]) -> [SharedLoginThrottle] {
        stores.map { SharedLoginThrottle("sign-in", limits: LoginThrottleLimits(), store: $0, pseudonymKey: key) }
    }

    /// The decision on an attempt, as its caller sees it.
    private enum Decision: Equatable { case final, throttled, untrusted }

    private static func decide(
        _ throttle: SharedLoginThrottle, _ attempt: LoginAttempt, as outcome: LoginAttemptOutcome,
        at now: TimeInterval = 0,
        isKnown: Bool = false
    ) async -> Decision {
        switch await throttle.admit(attempt, at: now, isKnownDevice: { isKnown }) {
        case .throttled, .busy: return .throttled
        case .proceed(let permit):
            switch await throttle.settle(permit, as: outcome, of: ada, at: now) {
            case .final: return .final
            case .untrusted: return .untrusted
            case .throttled(let wait):
                #expect(wait >= 1)
                return .throttled
            }
        }
    }

    @Test(
        "Pitfall 26: a hundred guesses at three nodes at the same time, and never more than ten are decided",
        arguments: TestedStore<any SharedCounterStore>.durable { $0 })
    func race(kind: TestedStore<any SharedCounterStore>) async throws {
        try await kind.with(3) { stores in
            let throttles = Self.throttles(stores)
            let final = await withTaskGroup(of: Decision.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        await Self.decide(
                            throttles[number % 3], Self.attempt("guess \(number)", from: "198.51.100.\(number)"),
                            as: .wrong)
                    }
                }
                return await group.reduce(0) { $0 + ($1 == .final ? 1 : 0) }
            }
            #expect(final == 10)
            // A right guess reveals nothing either, at any node.
            for throttle in throttles {
                #expect(
                    await Self.decide(throttle, Self.attempt("right", from: "203.0.113.9"), as: .right) == .throttled)
            }
        }
    }

    @Test(
        "An operator sees at any node how many attempts count, and releases those of the reader only",
        arguments: TestedStore<any SharedCounterStore>.durable { $0 })
    func release(kind: TestedStore<any SharedCounterStore>) async throws {
        try await kind.with(3) { stores in
            let throttles = Self.throttles(stores)
            for number in 0..<10 {
                #expect(await Self.decide(throttles[0], Self.attempt("guess \(number)"), as: .wrong) == .final)
            }
            let any = Self.attempt("any")
            for throttle in throttles {
                #expect(try await throttle.failures(of: any, nil, at: 0) == 10)
                #expect(try await throttle.failures(of: nil, Self.ada[0], at: 0) == 10)
                #expect(try await throttle.lock(of: any, nil, at: 0) != .open)
            }
            try await throttles[0].release(any, Self.ada[0], at: 0)
            for throttle in throttles {
                #expect(try await throttle.failures(of: any, Self.ada[0], at: 0) == 0)
                #expect(try await throttle.lock(of: any, Self.ada[0], at: 0) == .open)
                #expect(await Self.decide(throttle, Self.attempt("right"), as: .right) == .final)
            }
        }
    }

    @Test(
        "A guess beyond the limit is not decided at a node that saw none before, and later ones need no query",
        arguments: TestedStore<any SharedCounterStore>.durable { $0 })
    func otherNode(kind: TestedStore<any SharedCounterStore>) async throws {
        try await kind.with(2) { stores in
            let throttles = Self.throttles(stores)
            for number in 0..<10 {
                #expect(await Self.decide(throttles[0], Self.attempt("guess \(number)"), as: .wrong) == .final)
            }
            let other = Self.attempt("guess 10", from: "198.51.100.1")
            #expect(await Self.decide(throttles[1], other, as: .wrong) == .throttled)
            guard case .throttled(let wait) = await throttles[1].admit(other, at: 0, isKnownDevice: { false }) else {
                Issue.record("the node knows the limit now")
                return
            }
            #expect((1...90).contains(wait))
            // The reader's own device still signs in.
            #expect(
                await Self.decide(
                    throttles[1], Self.attempt("right", device: "own", from: "198.51.100.2"), as: .right, isKnown: true)
                    == .final)
        }
    }

    @Test("Readers, addresses and kinds of throttles count separately")
    func separate() async throws {
        try await TestedStore<any SharedCounterStore>.withEach({ $0 }) { store in
            let limits = LoginThrottleLimits(perIdentifier: 2, perAddress: 3)
            let throttles = ["sign-in", "registration"].map {
                SharedLoginThrottle($0, limits: limits, store: store, pseudonymKey: Self.key)
            }
            for throttle in throttles {
                for number in 0..<2 {
                    #expect(await Self.decide(throttle, Self.attempt("guess \(number)"), as: .wrong) == .final)
                }
                #expect(await Self.decide(throttle, Self.attempt("guess 2"), as: .wrong) == .throttled)
            }
        }
    }

    private struct BrokenStore: SharedCounterStore {
        struct Away: Error {}
        func charge(_ counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
            throw Away()
        }
        func levels(of counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
            throw Away()
        }
        func emptyCounters(_ keys: [[UInt8]]) async throws { throw Away() }
    }

    @Test("Without its store a node counts for itself")
    func withoutStore() async {
        let throttle = Self.throttles([BrokenStore()])[0]
        for number in 0..<10 {
            #expect(await Self.decide(throttle, Self.attempt("guess \(number)"), as: .wrong) == .final)
        }
        #expect(await Self.decide(throttle, Self.attempt("guess 10"), as: .wrong) == .throttled)
    }
}
