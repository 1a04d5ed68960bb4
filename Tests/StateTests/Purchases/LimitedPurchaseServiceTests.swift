import Commerce
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Limits of pending receipts", .stateServers, .serialized) struct LimitedPurchaseServiceTests {
    private let day: TimeInterval = 86_400

    @Test("A receipt over the limit is not stored, and the app is asked to retry later")
    func limit() async throws {
        try await PurchaseServiceHarness.with(limits: ReceiptLimits(perOwner: 2, perHour: 3)) { harness async throws in
            harness.verifier.startOutage()
            for text in ["1", "2"] { #expect(try await harness.confirm(text) == .pending) }
            await #expect(throws: Unavailable(.overloaded, retryAfter: 3600, cause: ReceiptLimitReached.perOwner.cause))
            {
                try await harness.confirm("3")
            }
            #expect(try await harness.confirm("3", by: buyer(2)) == .pending)
            await #expect(throws: Unavailable(.overloaded, retryAfter: 600, cause: ReceiptLimitReached.perHour.cause)) {
                try await harness.confirm("4", by: buyer(3))
            }
            #expect(harness.verifier.queries.count == 3)
            #expect(try await harness.counts == .init(pending: 3))
            #expect(
                harness.events.withLock { $0 }.suffix(2) == [
                    .postponed(appStore, cause: "ScriptedFailure"), .limited(appStore, .perHour),
                ])
            // There is room again as soon as the store responds.
            harness.verifier.verifyPassword(.sample())
            harness.clock.advance(by: 60)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.confirm("4") == .recorded([.sample()]))
        }
    }

    @Test("A full queue stores no receipt, but an available store still verifies new ones")
    func backlog() async throws {
        try await PurchaseServiceHarness.with(limits: ReceiptLimits(pending: 1)) { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm("1") == .pending)
            await #expect(throws: Unavailable.self) { try await harness.confirm("2") }
            #expect(try await harness.counts == .init(pending: 1))
            #expect(harness.events.withLock { $0.last } == .limited(appStore, .pending))
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.confirm("2") == .recorded([.sample()]))
            #expect(try await harness.counts == .init(pending: 1, verified: 1))
        }
    }

    @Test("A receipt that waits too long is discarded, and counts as new when submitted again")
    func age() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            _ = try await harness.ledger.persist(.sample("of a store no longer sold in", store: play), at: noon)
            for _ in 0..<29 {
                harness.clock.advance(by: day)
                _ = try await harness.purchaseService.followUp()
            }
            #expect(try await harness.counts == .init(pending: 1))
            harness.clock.advance(by: day)
            // The service does not report the receipt as stored.
            await #expect(throws: Unavailable.self) { try await harness.confirm() }
            #expect(try await harness.counts == nil)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.ledger.receiptCounts(in: daily) == ReceiptCounts())
            #expect(
                harness.events.withLock { $0.suffix(2) } == [.abandoned(appStore), .abandoned(play)])
            #expect(try await harness.confirm() == .pending)
            harness.verifier.verifyPassword(.sample())
            harness.clock.advance(by: 60)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.holdings() == Holdings(editions: [november]))
        }
    }

    @Test("A late rejection does not change a receipt that was verified in the meantime")
    func race() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let purchaseService = harness.purchaseService
            harness.verifier.verifyBy { [verifier = harness.verifier] _ in
                // Another process verifies the receipt during this query.
                verifier.verifyPassword(.sample())
                _ = try await purchaseService.confirm(
                    StoreReceipt([.receipt: "receipt"]), from: .apple, owner: buyer(1))
                return .rejected(ReceiptRejection(.rejectedByStore, code: 21_009))
            }
            _ = try await harness.confirm()
            #expect(try await harness.counts == .init(verified: 1))
            #expect(try await harness.holdings() == Holdings(editions: [november]))
            // A later result rejects a receipt that was verified when it was read.
            harness.clock.advance(by: 2 * day)
            harness.verifier.reject(.rejectedByStore)
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.rejectedByStore)))
            #expect(try await harness.counts == .init(rejected: 1))
        }
    }

    @Test("Pitfall 21: a pending receipt survives a clock that is ahead and is due at the right time")
    func clockAhead() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            harness.clock.step(by: 365 * 86_400)
            harness.clock.advance(by: 60)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.counts == .init(pending: 1))
            harness.clock.step(by: -365 * 86_400)
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.purchaseService.followUp() == 1)
            #expect(try await harness.counts == .init(verified: 1))
        }
    }

    @Test("Pitfall 21: a pending receipt survives a clock that was behind when it arrived")
    func clockBehind() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.clock.step(by: -365 * 86_400)
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            harness.clock.step(by: 365 * 86_400)
            harness.clock.advance(by: 60)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.counts == .init(pending: 1))
        }
    }
}
