import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Two purchase followers on one state", .stateServers, .serialized) struct TwoFollowersTests {
    private static let month: TimeInterval = 30 * 86_400

    /// Two processes that share a state, a store and a clock.
    private struct Pair {
        let one: PurchaseServiceHarness
        let other: PurchaseServiceHarness
        /// The latch that delays the store's first response. The store returns all other responses at once.
        let latch = ManualLatch()
        var verifier: ScriptedVerifier { one.verifier }
        var clock: ManualClock { one.clock }

        init(_ stores: [any PurchaseLedger & DeliveryOutbox & SessionStore], _ clock: ManualClock) {
            one = PurchaseServiceHarness(stores[0], clock: clock)
            other = PurchaseServiceHarness(stores[1], verifier: one.verifier, clock: clock)
        }

        func passFirst(_ requested: Locked<Int>) async {
            let isFirst = requested.withLock { requested in
                requested += 1
                return requested == 1
            }
            if isFirst { await latch.pass() }
        }

        /// Processes due work in both, the second one while the first waits for the store. Returns the number of store
        /// responses that each obtained.
        func followUp() async throws -> (one: Int, other: Int) {
            let first = Task { [purchaseService = one.purchaseService] in try await purchaseService.followUp() }
            await until { latch.waiting == 1 }
            let second = try await other.purchaseService.followUp()
            latch.open()
            return (try await first.value, second)
        }
    }

    private func with(_ test: (Pair) async throws -> Void) async throws {
        for kind in TestedStore<any PurchaseLedger & DeliveryOutbox & SessionStore>.durable({ $0 }) {
            let clock = ManualClock(noon)
            try await kind.with(2, clock: clock.wall) { try await test(Pair($0, clock)) }
        }
    }

    @Test("The two query the store about a pending receipt once")
    func receipts() async throws {
        try await with { pair async throws in
            pair.verifier.startOutage()
            #expect(try await pair.one.confirm() == .pending)
            pair.clock.advance(by: 60)
            let requested = Locked(0)
            pair.verifier.verifyBy { _ in
                await pair.passFirst(requested)
                return .genuine([.month()])
            }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(requested.withLock(\.self) == 1)
            #expect(pair.one.events.withLock(\.self).count { $0 == .verified(appStore) } == 1)
            #expect(try await pair.other.holdings().isSubscribed)
        }
    }

    @Test("The two query the store about a purchase once")
    func reverifications() async throws {
        try await with { pair async throws in
            pair.verifier.verifyPassword(.month())
            _ = try await pair.one.confirm()
            pair.clock.advance(by: 86_401)
            let requested = Locked(0)
            pair.verifier.currentBy { _ in
                await pair.passFirst(requested)
                return [.month(revoked: noon + 9, reported: noon + 86_400)]
            }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(requested.withLock(\.self) == 1)
            #expect(try await !pair.other.holdings().isSubscribed)
        }
    }

    @Test("The two acknowledge a purchase once")
    func acknowledgements() async throws {
        try await with { pair async throws in
            pair.verifier.verifyPassword(.sample(awaitsAcknowledgement: true))
            _ = try await pair.one.confirm()
            let requested = Locked(0)
            pair.verifier.acknowledgeBy { _ in await pair.passFirst(requested) }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(requested.withLock(\.self) == 1)
            #expect(try await pair.other.purchaseService.followUp() == 0)
        }
    }

    @Test("A query under way does not delay the reverification for a reader")
    func visit() async throws {
        try await with { pair async throws in
            pair.verifier.verifyPassword(.month())
            _ = try await pair.one.confirm()
            pair.clock.advance(by: Self.month + 86_401)
            let requested = Locked(0)
            pair.verifier.currentBy { _ in
                await pair.passFirst(requested)
                return [.month("n", from: noon + Self.month)]
            }
            let first = Task { [purchaseService = pair.one.purchaseService] in try await purchaseService.followUp() }
            await until { pair.latch.waiting == 1 }
            #expect(try await pair.other.holdings().isSubscribed)
            pair.latch.open()
            #expect(try await first.value == 1)
        }
    }

    @Test("One takes over expired work of the other, and a late result changes nothing")
    func takenOver() async throws {
        try await with { pair async throws in
            pair.verifier.startOutage()
            #expect(try await pair.one.confirm() == .pending)
            pair.clock.advance(by: 60)
            let requested = Locked(0)
            pair.verifier.verifyBy { [isFirst = Locked(true)] _ in
                let fails = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                await pair.passFirst(requested)
                if fails { throw ScriptedVerifier.ScriptedFailure() }
                return .genuine([.month()])
            }
            let first = Task { [purchaseService = pair.one.purchaseService] in try await purchaseService.followUp() }
            await until { pair.latch.waiting == 1 }
            #expect(try await pair.other.purchaseService.followUp() == 0)
            pair.clock.advance(by: ReverificationSchedule().lease)
            #expect(try await pair.other.purchaseService.followUp() == 1)
            pair.latch.open()
            #expect(try await first.value == 0)
            #expect(try await pair.one.counts == ReceiptCounts.Count(verified: 1))
        }
    }
}
