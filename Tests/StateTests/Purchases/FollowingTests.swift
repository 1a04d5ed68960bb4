import Commerce
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Purchase follower", .stateServers, .serialized) struct FollowingTests {
    private let day: TimeInterval = 86_400

    @Test("A reader who returns right after the renewal keeps access")
    func renewed() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            #expect(try await harness.holdings().isSubscribed)
            #expect(harness.verifier.queries == ["verify"])
            harness.clock.advance(by: 30 * day + 1)
            harness.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await harness.holdings().isSubscribed)
            #expect(try await harness.holdings().isSubscribed)
            #expect(harness.verifier.queries == ["verify", "current"])
        }
    }

    @Test("An expired subscription is over, and its store is queried at most once an hour")
    func ended() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            harness.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await !harness.holdings().isSubscribed) }
            #expect(harness.verifier.queries == ["verify", "current"])
            harness.clock.advance(by: 3601)
            #expect(try await !harness.holdings().isSubscribed)
            #expect(harness.verifier.queries.count == 3)
        }
    }

    @Test("During a store outage the last known result counts, and the reader does not wait each time")
    func storeDown() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample(), .month())
            _ = try await harness.confirm()
            harness.verifier.startOutage()
            harness.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await harness.holdings() == Holdings(editions: [november])) }
            #expect(harness.verifier.queries == ["verify", "current"])
            harness.clock.advance(by: 60)
            harness.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await harness.holdings().isSubscribed)
        }
    }

    @Test("A store that does not respond delays a reader no longer than the time limit")
    func reverifyTimeout() async throws {
        try await PurchaseServiceHarness.with(times: ReverificationSchedule(reverifyTimeout: 0.01)) {
            harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            harness.clock.advance(by: 30 * day + 1)
            // Ends when it is cancelled, as calls under a deadline do.
            harness.verifier.currentBy { _ in
                try await Task.sleep(for: .seconds(3600))
                return []
            }
            #expect(try await !harness.holdings().isSubscribed)
            #expect(try await !harness.holdings().isSubscribed)
            #expect(harness.verifier.queries == ["verify", "current"])
        }
    }

    @Test("A refund without a notification is found within a day")
    func running() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            #expect(try await harness.purchaseService.followUp() == 0)
            harness.clock.advance(by: day + 1)
            harness.verifier.currentBy { _ in [.month(revoked: noon + 9, reported: noon + day)] }
            #expect(try await harness.purchaseService.followUp() == 1)
            #expect(try await harness.holdings() == Holdings())
            #expect(try await harness.purchaseService.followUp() == 0)
        }
    }

    @Test("A refund of a single purchase is found within a day, during the refund period of the stores")
    func refunded() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            _ = try await harness.confirm()
            for _ in 0..<89 {
                harness.clock.advance(by: day + 1)
                #expect(try await harness.purchaseService.followUp() == 1)
                #expect(try await harness.purchaseService.followUp() == 0)
            }
            harness.verifier.currentBy { [clock = harness.clock] in [$0.refunded(at: clock.now)] }
            harness.clock.advance(by: day - 100)
            #expect(try await harness.purchaseService.followUp() == 0, "before a day has passed")
            harness.clock.advance(by: 10)
            #expect(try await harness.holdings() == Holdings(editions: [november]))
            harness.clock.advance(by: 100)
            #expect(try await harness.purchaseService.followUp() == 0, "after ninety days")
        }
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            _ = try await harness.confirm()
            harness.verifier.currentBy { [clock = harness.clock] in [$0.refunded(at: clock.now)] }
            harness.clock.advance(by: day + 1)
            #expect(try await harness.purchaseService.followUp() == 1)
            #expect(try await harness.holdings().isEmpty)
        }
    }

    @Test("A subscription whose last period was refunded is reverified, because it may be renewed")
    func renewedAfterRefund() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            try await harness.ledger.record([.month(revoked: noon + 9, reported: noon + 9)], at: noon + 9)
            #expect(try await !harness.holdings().isSubscribed)
            harness.clock.advance(by: 30 * day + 1)
            harness.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await harness.holdings().isSubscribed)
        }
    }

    @Test("A reverification without a query does not count and is not retried at every call")
    func notQueried() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            harness.verifier.currentBy { _ in nil }
            harness.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await !harness.holdings().isSubscribed) }
            #expect(harness.verifier.queries == ["verify", "current"])
            #expect(!harness.events.withLock { $0.contains(.reverified(appStore)) })
            // Another receipt of it, which allows a query.
            harness.verifier.verifyPassword(.month(reported: noon + 30 * day + 1))
            _ = try await harness.confirm("another", by: buyer(2))
            harness.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            harness.clock.advance(by: 3601)
            #expect(try await harness.holdings().isSubscribed)
        }
    }

    @Test("Two publications on one store each reverify the purchases that count for them")
    func twoPublications() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let tested = PurchaseServiceHarness(
                harness.ledger, verifier: harness.verifier, environments: [.production, .sandbox])
            let sandboxed = StoreTransaction.sample("s", expires: noon + day, environment: .sandbox)
            harness.verifier.verifyPassword(sandboxed)
            _ = try await tested.confirm()
            for clock in [harness.clock, tested.clock] { clock.advance(by: day + 1) }
            #expect(try await harness.purchaseService.followUp() == 0)
            #expect(try await tested.purchaseService.followUp() == 1)
            #expect(harness.verifier.queries == ["verify", "current"])
        }
    }

    @Test("A rejection of a receipt that was verified before reverifies its purchases")
    func review() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample("1"), .sample("2"))
            _ = try await harness.confirm()
            harness.clock.advance(by: 3601)
            harness.verifier.reject(.expired)
            harness.verifier.currentBy { [clock = harness.clock] in $0.id == "1" ? [$0.refunded(at: clock.now)] : [$0] }
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.expired)))
            #expect(harness.verifier.queries == ["verify", "verify", "current", "current"])
            let known = try await harness.ledger.transactions(of: buyer(1), in: [appStore])
            #expect(known.map(\.revoked) == [harness.clock.now, nil])
            // A revoked purchase is not reverified again. During an outage, the rejection counts alone.
            harness.verifier.currentBy { _ in throw ScriptedVerifier.ScriptedFailure() }
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.expired)))
            #expect(harness.verifier.queries.count == 6)
            // A receipt that never proved anything has no purchases to reverify.
            _ = try await harness.confirm("other")
            #expect(harness.verifier.queries.count == 7)
        }
    }

    @Test("A purchase is acknowledged after it was recorded, and again after a failure")
    func acknowledging() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample(awaitsAcknowledgement: true))
            harness.verifier.acknowledgeBy { _ in throw ScriptedVerifier.ScriptedFailure() }
            #expect(try await harness.confirm() == .recorded([.sample(awaitsAcknowledgement: true)]))
            #expect(harness.verifier.queries == ["verify"])
            for _ in 0..<2 { _ = try await harness.purchaseService.followUp() }
            #expect(harness.verifier.queries == ["verify", "acknowledge", "current"])
            #expect(try await harness.holdings() == Holdings(editions: [november]))
            harness.verifier.acknowledgeBy { _ in }
            harness.clock.advance(by: 3600)
            for _ in 0..<2 { _ = try await harness.purchaseService.followUp() }
            #expect(harness.verifier.queries == ["verify", "acknowledge", "current", "acknowledge"])
            #expect(harness.events.withLock { $0.last } == .acknowledged(appStore))
        }
    }

    @Test("A purchase that the store never lets acknowledge is still reverified")
    func neverAcknowledged() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample(awaitsAcknowledgement: true))
            _ = try await harness.confirm()
            harness.verifier.acknowledgeBy { _ in throw ScriptedVerifier.ScriptedFailure() }
            harness.verifier.currentBy { [clock = harness.clock] in [$0.reported(at: clock.now)] }
            for _ in 0..<30 {
                _ = try await harness.purchaseService.followUp()
                harness.clock.advance(by: 3600)
            }
            #expect(try await harness.holdings() == Holdings(editions: [november]))
            harness.verifier.currentBy { [clock = harness.clock] in [$0.refunded(at: clock.now)] }
            #expect(try await harness.purchaseService.followUp() == 1)
            #expect(try await harness.holdings().isEmpty)
            let requested = harness.verifier.queries.count
            harness.clock.advance(by: 3600)
            #expect(try await harness.purchaseService.followUp() == 0)
            #expect(harness.verifier.queries.count == requested)
        }
        // The app acknowledged it first.
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample(awaitsAcknowledgement: true))
            _ = try await harness.confirm()
            harness.verifier.acknowledgeBy { _ in throw ScriptedVerifier.ScriptedFailure() }
            harness.verifier.currentBy { [clock = harness.clock] in [$0.acknowledged.reported(at: clock.now)] }
            harness.clock.advance(by: 1)
            #expect(try await harness.purchaseService.followUp() == 1)
            harness.clock.advance(by: 3600)
            #expect(try await harness.purchaseService.followUp() == 0)
            #expect(harness.verifier.queries == ["verify", "acknowledge", "current"])
        }
    }

    @Test("A failure does not count as progress, and a ledger that cannot store is a failure")
    func progress() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.startOutage()
            _ = try await harness.confirm("pending", by: buyer(2))
            harness.verifier.verifyPassword(.month(), .sample("1", awaitsAcknowledgement: true))
            _ = try await harness.confirm()
            harness.verifier.startOutage()
            harness.clock.advance(by: day + 1)
            #expect(try await harness.purchaseService.followUp() == 0)
            #expect(harness.verifier.queries.count == 2 + 4)
            harness.clock.advance(by: day + 1)
            harness.verifier.currentBy { _ in [] }
            harness.verifier.acknowledgeBy { _ in }
            let full = PurchaseService(
                publication: daily, products: ProductRules(), verifiers: [harness.verifier],
                ledger: BrokenLedger(full: harness.ledger), clock: harness.clock.wall)
            await #expect(throws: Unavailable.self) { try await full.followUp() }
            harness.verifier.reject(.notFound)
            // The results that the full ledger could not store are queried again.
            #expect(try await harness.purchaseService.followUp() > 0)
            #expect(try await harness.counts?.rejected == 1)
        }
    }

    @Test("During a store outage, a purchase is reverified less and less often, down to the regular interval")
    func doubling() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.month())
            _ = try await harness.confirm()
            harness.verifier.startOutage()
            harness.clock.advance(by: day + 1)
            func reverifications(within minutes: Int) async throws -> Int {
                let before = harness.verifier.queries.count
                for _ in 0..<minutes {
                    #expect(try await harness.purchaseService.followUp() == 0)
                    harness.clock.advance(by: 60)
                }
                return harness.verifier.queries.count - before
            }
            #expect(try await (3...5).contains(reverifications(within: 15)))
            #expect(try await (3...5).contains(reverifications(within: 225)))
            harness.clock.advance(by: day)
            harness.verifier.currentBy { _ in [.month(reported: noon + 3 * day)] }
            #expect(try await harness.purchaseService.followUp() == 1)
            // An expired subscription is reverified for its reader at any time.
            harness.verifier.startOutage()
            harness.clock.set(noon + 30 * day - 600)
            _ = try await harness.purchaseService.followUp()
            harness.clock.set(noon + 30 * day + 1)
            let requested = harness.verifier.queries.count
            #expect(try await !harness.holdings().isSubscribed)
            #expect(harness.verifier.queries.count == requested + 1, "not reverified until its end")
            harness.clock.advance(by: 20 * 3600)
            _ = try await harness.purchaseService.followUp()
            harness.clock.advance(by: 3601)
            harness.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await harness.holdings().isSubscribed)
        }
    }

    @Test("A receipt or purchase that cannot be queried does not block the others")
    func noStarvation() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            // Its store is no longer sold in.
            _ = try await harness.ledger.persist(.sample("foreign", store: play), at: noon)
            harness.clock.advance(by: 1)
            harness.verifier.startOutage()
            _ = try await harness.confirm()
            harness.verifier.verifyPassword(.sample("a", expires: noon + day), .sample("b", expires: noon + day))
            harness.clock.advance(by: 99)
            for _ in 0..<2 { _ = try await harness.purchaseService.followUp(limit: 1) }
            #expect(try await harness.counts == .init(verified: 1))
            harness.clock.advance(by: 2 * day)
            harness.verifier.currentBy { transaction in
                if transaction.id == "a" { throw Unavailable(.storeUnavailable, retryAfter: 1, cause: "down") }
                return [.sample("b", expires: noon + 9 * day, reported: noon + 2 * day)]
            }
            for _ in 0..<2 { _ = try await harness.purchaseService.followUp(limit: 1) }
            let ends = try await harness.ledger.transactions(of: "b", in: appStore).first?.expires
            #expect(ends == noon + 9 * day)
        }
    }

    @Test("A store notification counts once, and an unverifiable one has to be sent again")
    func notifications() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            _ = try await harness.confirm()
            harness.verifier.notifyBy { body in
                guard body == [1] else { return .rejected(ReceiptRejection(.forged)) }
                return .event(
                    StoreEvent(
                        store: appStore, id: "1", name: "REFUND", signed: noon + 1,
                        transactions: [.sample(revoked: noon, reported: noon + 1), .sample("1\u{0}")]))
            }
            #expect(
                try await harness.purchaseService.receive(notification: [2], of: appStore)
                    == .rejected(ReceiptRejection(.forged)))
            #expect(try await !harness.holdings().isEmpty)
            #expect(try await harness.purchaseService.receive(notification: [1], of: appStore) == .taken(isNew: true))
            #expect(try await harness.purchaseService.receive(notification: [1], of: appStore) == .taken(isNew: false))
            #expect(try await harness.holdings().isEmpty)
            #expect(try await harness.purchaseService.receive(notification: [1], of: play) == nil)
            harness.verifier.startOutage()
            await #expect(throws: Unavailable.self) {
                try await harness.purchaseService.receive(notification: [1], of: appStore)
            }
        }
    }

    @Test("A receipt as credential includes known changes of its purchases")
    func examination() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let receipt = StoreReceipt([.receipt: "receipt"])
            harness.verifier.verifyPassword(.month())
            #expect(try await harness.purchaseService.examine(receipt, from: .apple) == .genuine(purchases: [.month()]))
            let refund = StoreTransaction.month(revoked: noon, reported: noon + 1)
            try await harness.ledger.record([refund], at: noon + 1)
            #expect(try await harness.purchaseService.examine(receipt, from: .apple) == .genuine(purchases: [refund]))
            #expect(
                try await harness.purchaseService.examine(receipt, from: .amazon)
                    == .rejected(ReceiptRejection(.noStore)))
            harness.verifier.reject(.wrongApp)
            #expect(
                try await harness.purchaseService.examine(receipt, from: .apple)
                    == .rejected(ReceiptRejection(.wrongApp)))
            harness.verifier.startOutage()
            await #expect(throws: Unavailable.self) { try await harness.purchaseService.examine(receipt, from: .apple) }
            #expect(try await harness.counts == nil)
        }
    }

    @Test("A store query under way at shutdown is completed and recorded", .timeLimit(.minutes(10)))
    func stopped() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            harness.clock.advance(by: 3_600)
            let latch = ManualLatch()
            harness.verifier.verifyBy { _ in
                await latch.pass()
                try Task.checkCancellation()
                return .genuine([.month(from: noon + 3_600)])
            }
            let following = Task { [purchaseService = harness.purchaseService] in try await purchaseService.followUp() }
            await until { latch.waiting == 1 }
            following.cancel()
            latch.open()
            _ = try? await following.value
            #expect(try await harness.counts?.verified == 1)
            #expect(harness.events.withLock { $0.last } == .verified(appStore))
        }
    }
}

extension StoreTransaction {
    /// Returns the same transaction, reported later.
    fileprivate func reported(at timestamp: Date) -> StoreTransaction {
        .sample(
            id, of: original, product: product, purchased: purchased, expires: expires, revoked: revoked,
            awaitsAcknowledgement: awaitsAcknowledgement, reported: timestamp)
    }
}
