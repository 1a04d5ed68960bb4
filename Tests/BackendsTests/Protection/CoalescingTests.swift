import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Coalescing of identical queries", .timeLimit(.minutes(10)))
struct CoalescingTests {
    private let key = BackendQueryKey.digest(BackendQueryDigest(1, 2, 3, 4))
    private let other = BackendQueryKey.digest(BackendQueryDigest(1, 2, 3, 5))
    private let subscription = Subscription(state: .active)

    @Test("Equal keys join one flight and complete together")
    func singleFlight() {
        var singleFlight = SingleFlight<String>()
        guard case .begins(let flight, let first) = singleFlight.join("a") else {
            Issue.record("the first caller starts the query")
            return
        }
        guard case .joins(flight, let second) = singleFlight.join("a") else {
            Issue.record("the second caller joins")
            return
        }
        guard case .begins(let apart, _) = singleFlight.join("b") else {
            Issue.record("a different query starts separately")
            return
        }
        #expect(singleFlight.complete(flight) == [first, second])
        #expect(singleFlight.complete(flight) == [])
        guard case .begins = singleFlight.join("a") else {
            Issue.record("a completed query is not joined")
            return
        }
        #expect(singleFlight.leave(apart, 999) == false)
        #expect(singleFlight.count == 2)
    }

    @Test("The last caller that leaves ends the flight; no later caller joins it")
    func leaving() {
        var singleFlight = SingleFlight<String>()
        guard case .begins(let flight, let first) = singleFlight.join("a"),
            case .joins(_, let second) = singleFlight.join("a")
        else {
            Issue.record("expected one query")
            return
        }
        #expect(singleFlight.leave(flight, first) == false)
        #expect(singleFlight.leave(flight, first) == false)
        #expect(singleFlight.leave(flight, second) == true)
        guard case .begins = singleFlight.join("a") else {
            Issue.record("an abandoned query is not joined")
            return
        }
    }

    @Test("Concurrent identical queries call the backend once and all receive the result")
    func sharing() async throws {
        let coalescing = Coalescing<InFlightQuery, Subscription>()
        let latch = ManualLatch()
        let queried = Locked(0)
        try await withThrowingTaskGroup(of: Subscription.self) { group in
            for _ in 0..<50 {
                group.addTask { [subscription, key] in
                    try await coalescing.share(InFlightQuery(query: key, priority: .reader)) {
                        queried.withLock { $0 += 1 }
                        await latch.pass()
                        return subscription
                    }
                }
            }
            await until { coalescing.shared == 49 }
            latch.open()
            var results = 0
            for try await result in group where result == subscription { results += 1 }
            #expect(results == 50)
        }
        #expect(queried.withLock { $0 } == 1)
    }

    @Test("A query continues when its first caller cancels and ends when all callers have")
    func disconnecting() async throws {
        let coalescing = Coalescing<InFlightQuery, Subscription>()
        let latch = ManualLatch()
        let wasCancelled = Locked(false)
        let operation: @Sendable () async throws -> Subscription = { [subscription] in
            await latch.pass()
            wasCancelled.withLock { $0 = Task.isCancelled }
            return subscription
        }
        let first = Task { [key] in try await coalescing.share(InFlightQuery(query: key, priority: .reader), operation)
        }
        await until { latch.waiting == 1 }
        let second = Task { [key] in try await coalescing.share(InFlightQuery(query: key, priority: .reader), operation)
        }
        await until { coalescing.shared == 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        latch.open()
        #expect(try await second.value == subscription)
        #expect(!wasCancelled.withLock { $0 })

        let ended = Locked(false)
        let alone = Task { [other, subscription] in
            try await coalescing.share(InFlightQuery(query: other, priority: .reader)) {
                while !Task.isCancelled { await Task.yield() }
                ended.withLock { $0 = true }
                return subscription
            }
        }
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
        await until { ended.withLock { $0 } }
    }

    @Test("A reader never joins a background query, which may fail as busy")
    func priority() async throws {
        let coalescing = Coalescing<InFlightQuery, Subscription>()
        let latch = ManualLatch()
        let background = Task { [key] in
            try await coalescing.share(InFlightQuery(query: key, priority: .background)) {
                await latch.pass()
                throw ProtectionError.busy
            }
        }
        await until { latch.waiting == 1 }
        let result = try await coalescing.share(InFlightQuery(query: key, priority: .reader)) { [subscription] in
            subscription
        }
        #expect(result == subscription)
        latch.open()
        await #expect(throws: ProtectionError.busy) { try await background.value }
    }

    @Test("A caller after `forgetInFlight` starts a new query")
    func doors() async throws {
        let coalescing = Coalescing<InFlightQuery, Subscription>()
        let latch = ManualLatch()
        let before = Task { [key, subscription] in
            try await coalescing.share(InFlightQuery(query: key, priority: .reader)) {
                await latch.pass()
                return subscription
            }
        }
        await until { latch.waiting == 1 }
        coalescing.forgetInFlight()
        let next = try await coalescing.share(InFlightQuery(query: key, priority: .reader)) {
            Subscription(state: .suspended)
        }
        #expect(next.state == .suspended)
        latch.open()
        #expect(try await before.value == subscription)
    }
}
