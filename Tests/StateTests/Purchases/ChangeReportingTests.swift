import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Reports of purchase changes", .stateServers, .serialized) struct ChangeReportingTests {
    /// A purchase service that records its change reports.
    private struct Harness: Sendable {
        let store: any PurchaseLedger
        let verifier = ScriptedVerifier()
        let clock = ManualClock(noon)
        let reported = Locked<[PurchaseChange]>([])
        let purchaseService: PurchaseService

        init(_ store: any PurchaseLedger) {
            self.store = store
            let reported = reported
            purchaseService = PurchaseService(
                publication: daily, products: ProductRules(subscriptions: [PurchaseServiceHarness.month]),
                claims: ClaimRule(maxPersons: 1), times: ReverificationSchedule(reverifyTimeout: 60),
                verifiers: [verifier],
                ledger: store, clock: clock.wall, didChange: { change in reported.withLock { $0.append(change) } })
        }

        func confirm(_ text: String = "receipt", product: String? = nil, by owner: PurchaseOwner = buyer(1))
            async throws
        {
            var parts: [StoreReceipt.Part: String] = [.receipt: text]
            parts[.product] = product
            _ = try await purchaseService.confirm(StoreReceipt(parts), from: .apple, owner: owner)
        }

        func take() -> [PurchaseChange] {
            reported.withLock { reported in
                defer { reported = [] }
                return reported
            }
        }
    }

    private func with(_ test: (Harness) async throws -> Void) async throws {
        try await TestedStore<any PurchaseLedger>.withEach({ $0 }) { try await test(Harness($0)) }
    }

    @Test("Reports a verified receipt once, with only the valid purchases that count")
    func verified() async throws {
        try await with { harness async throws in
            let bought = StoreTransaction.sample("1")
            let refunded = StoreTransaction.sample("2", revoked: noon)
            let sandbox = StoreTransaction.sample("3", environment: .sandbox)
            harness.verifier.verifyPassword(bought, refunded, sandbox)
            try await harness.confirm()
            #expect(harness.take() == [.verified(by: buyer(1), [bought])])
            try await harness.confirm()
            #expect(harness.take() == [])
            harness.verifier.verifyPassword(.sample("4", environment: .sandbox))
            try await harness.confirm("another", by: buyer(2))
            #expect(harness.take() == [])
        }
    }

    @Test("Reports a rejected receipt with the product that the app named")
    func rejected() async throws {
        try await with { harness async throws in
            harness.verifier.reject(.wrongApp)
            try await harness.confirm(product: "com.example.november")
            #expect(
                harness.take() == [
                    .rejected(to: buyer(1), product: "com.example.november", ReceiptRejection(.wrongApp))
                ])
            // An empty receipt is not stored, but its rejection is reported.
            try await harness.confirm("")
            #expect(harness.take() == [.rejected(to: buyer(1), product: nil, ReceiptRejection(.malformed))])
            harness.verifier.verifyPassword(.sample("1"))
            try await harness.confirm("a", by: buyer(2))
            _ = harness.take()
            try await harness.confirm("b", by: buyer(3))
            #expect(harness.take() == [.rejected(to: buyer(3), product: nil, ReceiptRejection(.claimedByAnother))])
        }
    }

    @Test("Reports nothing while the store fails, and the result after the follow-up")
    func later() async throws {
        try await with { harness async throws in
            harness.verifier.startOutage()
            try await harness.confirm()
            #expect(harness.take() == [])
            harness.verifier.verifyPassword(.sample("1"))
            harness.clock.advance(by: 86_400)
            _ = try await harness.purchaseService.followUp()
            #expect(harness.take() == [.verified(by: buyer(1), [.sample("1")])])
            _ = try await harness.purchaseService.followUp()
            #expect(harness.take() == [])
        }
    }

    @Test("Reports a refund from a store notification once")
    func messages() async throws {
        try await with { harness async throws in
            harness.verifier.verifyPassword(.sample("1"))
            try await harness.confirm()
            _ = harness.take()
            let back = StoreTransaction.sample("1", revoked: noon + 5, reported: noon + 5)
            harness.verifier.notifyBy { _ in
                .event(
                    StoreEvent(store: appStore, id: "e", name: "REFUND", signed: noon + 5, transactions: [back]))
            }
            for _ in 0..<3 { _ = try await harness.purchaseService.receive(notification: [1], of: appStore) }
            #expect(harness.take() == [.refunded([back])])
            // A reverification reports nothing new.
            harness.verifier.currentBy { _ in [back] }
            harness.clock.advance(by: 30 * 86_400)
            _ = try await harness.purchaseService.followUp()
            #expect(harness.take() == [])
        }
    }

    @Test("Reports a refund found by reverification, also of an earlier renewal")
    func requesting() async throws {
        try await with { harness async throws in
            let old = StoreTransaction.month("m", days: 30)
            let renewed = StoreTransaction.month("m2", from: noon + 30 * 86_400, days: 30)
            harness.clock.set(noon + 31 * 86_400)
            harness.verifier.verifyPassword(old, renewed)
            try await harness.confirm()
            #expect(harness.take() == [.verified(by: buyer(1), [old, renewed])])
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, reported: noon + 40 * 86_400)
            harness.clock.set(noon + 61 * 86_400)
            harness.verifier.currentBy { _ in [back, renewed] }
            _ = try await harness.purchaseService.holdings(of: buyer(1), in: PurchaseServiceHarness.catalogue)
            #expect(harness.take() == [.refunded([back])])
            harness.clock.advance(by: 30 * 86_400)
            _ = try await harness.purchaseService.followUp()
            #expect(harness.take() == [])
        }
    }

    @Test("Reports a refund found in a receipt of any owner")
    func receipts() async throws {
        try await with { harness async throws in
            harness.verifier.verifyPassword(.sample("1"))
            try await harness.confirm()
            _ = harness.take()
            let back = StoreTransaction.sample("1", revoked: noon + 5, reported: noon + 5)
            harness.verifier.verifyPassword(back)
            try await harness.confirm("again", by: buyer(2))
            #expect(
                harness.take() == [
                    .refunded([back]), .rejected(to: buyer(2), product: nil, ReceiptRejection(.revoked)),
                ])
            try await harness.confirm("once more", by: buyer(3))
            #expect(harness.take() == [.rejected(to: buyer(3), product: nil, ReceiptRejection(.revoked))])
        }
    }

    @Test("Reports a refund even if the caller was cancelled before the store responded")
    func impatient() async throws {
        try await with { harness async throws in
            let old = StoreTransaction.month("m", days: 30)
            harness.clock.set(noon + 1)
            harness.verifier.verifyPassword(old)
            try await harness.confirm()
            _ = harness.take()
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, reported: noon + 31 * 86_400)
            harness.clock.set(noon + 31 * 86_400)
            harness.verifier.currentBy { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return [back]
            }
            _ = try await harness.purchaseService.holdings(of: buyer(1), in: PurchaseServiceHarness.catalogue)
            #expect(harness.take() == [.refunded([back])])
        }
    }

    @Test("Reports a refund even if a later step fails")
    func halfway() async throws {
        try await with { harness async throws in
            harness.verifier.verifyPassword(.sample("1"), .sample("2"))
            try await harness.confirm()
            _ = harness.take()
            harness.clock.advance(by: 3601)
            // The receipt is rejected, and the store fails between its two purchases.
            let back = StoreTransaction.sample("1").refunded(at: harness.clock.now)
            harness.verifier.reject(.expired)
            harness.verifier.currentBy { purchase in
                guard purchase.id == "1" else { throw ScriptedVerifier.ScriptedFailure() }
                return [back]
            }
            try await harness.confirm()
            #expect(harness.take().contains(.refunded([back])))
        }
        try await with { harness async throws in
            let old = StoreTransaction.month("m", days: 30)
            harness.verifier.verifyPassword(old)
            try await harness.confirm()
            _ = harness.take()
            harness.clock.advance(by: 31 * 86_400)
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, reported: harness.clock.now)
            harness.verifier.currentBy { _ in [back] }
            // The disk is full when the result has been recorded.
            let purchaseService = PurchaseService(
                publication: daily, products: ProductRules(subscriptions: []), verifiers: [harness.verifier],
                ledger: BrokenLedger(full: harness.store, storesRecords: true), clock: harness.clock.wall,
                didChange: { change in harness.reported.withLock { $0.append(change) } })
            _ = try? await purchaseService.holdings(of: buyer(1), in: PurchaseServiceHarness.catalogue)
            #expect(harness.take() == [.refunded([back])])
        }
    }

    @Test("Reports a change only after it was stored")
    func order() async throws {
        try await with { harness async throws in
            let purchaseService = PurchaseService(
                publication: daily, products: ProductRules(subscriptions: []), verifiers: [harness.verifier],
                ledger: BrokenLedger(full: harness.store), clock: harness.clock.wall,
                didChange: { change in harness.reported.withLock { $0.append(change) } })
            harness.verifier.verifyPassword(.sample("1"))
            let receipt = StoreReceipt([.receipt: "receipt"])
            await #expect(throws: Unavailable.self) {
                try await purchaseService.confirm(receipt, from: .apple, owner: buyer(1))
            }
            harness.verifier.notifyBy { _ in
                .event(
                    StoreEvent(
                        store: appStore, id: "e", name: "REFUND", signed: noon,
                        transactions: [.sample("1", revoked: noon)]))
            }
            await #expect(throws: Unavailable.self) {
                try await purchaseService.receive(notification: [1], of: appStore)
            }
            #expect(harness.take() == [])
        }
    }
}
