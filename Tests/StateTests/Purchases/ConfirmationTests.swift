import Commerce
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Purchase confirmation", .stateServers, .serialized) struct ConfirmationTests {
    @Test("Stores the receipt before it queries the store")
    func storesFirst() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let ledger = harness.ledger
            harness.verifier.verifyBy { _ in
                let counts = try await ledger.receiptCounts(in: daily)
                #expect(counts.stores[appStore] == .init(pending: 1))
                return .genuine([.sample()])
            }
            #expect(try await harness.confirm() == .recorded([.sample()]))
            #expect(try await harness.counts == .init(verified: 1))
            #expect(try await harness.holdings() == Holdings(editions: [november]))
        }
    }

    @Test("Pitfall 18: a receipt that holds only revoked purchases is rejected and records the revocation")
    func refunded() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.confirm() == .recorded([.sample()]))
            harness.clock.advance(by: 86_400)
            harness.verifier.verifyPassword(.sample(revoked: harness.clock.now, reported: harness.clock.now))
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.revoked)))
            #expect(try await harness.holdings().isEmpty)
        }
    }

    @Test("Stores the receipt during a store outage and verifies it later")
    func outage() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            #expect(try await harness.holdings().isEmpty)
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.purchaseService.followUp() == 0)
            harness.clock.advance(by: 60)
            #expect(try await harness.purchaseService.followUp() == 1)
            #expect(try await harness.holdings() == Holdings(editions: [november]))
            #expect(try await harness.purchaseService.followUp() == 0)
        }
    }

    @Test("Doubles the delay after each failure, up to the maximum")
    func backoff() async throws {
        let times = ReverificationSchedule(minRetryDelay: 60, maxRetryDelay: 200)
        try await PurchaseServiceHarness.with(times: times) { harness async throws in
            harness.verifier.startOutage()
            #expect(try await harness.confirm() == .pending)
            for wait in [60.0, 120, 200, 200] {
                let requested = harness.verifier.queries.count
                harness.clock.advance(by: wait - 1)
                _ = try await harness.purchaseService.followUp()
                #expect(harness.verifier.queries.count == requested)
                harness.clock.advance(by: 1)
                // The store was queried without success.
                #expect(try await harness.purchaseService.followUp() == 0)
                #expect(harness.verifier.queries.count == requested + 1)
            }
        }
    }

    @Test("Pitfall 9: verified and rejected receipts keep their status during a store outage")
    func verdictsOutlastOutages() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.reject(.forged)
            #expect(try await harness.confirm("forged") == .rejected(ReceiptRejection(.forged)))
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.confirm("genuine") == .recorded([.sample()]))
            harness.verifier.startOutage()
            harness.clock.advance(by: 86_400)
            #expect(try await harness.confirm("forged") == .rejected(ReceiptRejection(.forged)))
            #expect(try await harness.confirm("genuine") == .recorded([]))
            #expect(try await harness.counts == .init(verified: 1, rejected: 1))
        }
    }

    @Test("A repeated receipt does not query the store within an hour, and is the same purchase after it")
    func again() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            _ = try await harness.confirm()
            #expect(try await harness.confirm() == .recorded([]))
            #expect(harness.verifier.queries == ["verify"])
            harness.clock.advance(by: 3600)
            #expect(try await harness.confirm() == .recorded([.sample()]))
            #expect(harness.verifier.queries == ["verify", "verify"])
            #expect(try await harness.purchaseService.transactions(of: buyer(1)) == [.sample()])
        }
    }

    @Test("A repeated receipt claims a purchase again whose link ended within the hour")
    func leaving() async throws {
        for isErased in [false, true] {
            try await PurchaseServiceHarness.with { harness async throws in
                harness.verifier.verifyPassword(.sample())
                _ = try await harness.confirm(by: buyer(2))
                try await harness.ledger.link(buyer(1), to: buyer(2))
                for _ in 0..<2 { _ = try await harness.confirm("own") }
                #expect(harness.verifier.queries.count == 2)
                if isErased {
                    _ = try await harness.ledger.erase(buyer(2))
                } else {
                    #expect(try await harness.purchaseService.unlink(buyer(1)))
                }
                #expect(try await harness.holdings().isEmpty)
                #expect(try await harness.confirm("own") == .recorded([.sample()]))
                #expect(try await harness.holdings() == Holdings(editions: [november]))
            }
        }
    }

    @Test("A receipt over the claim limit still records the revocation that it shows")
    func claimedAndRevoked() async throws {
        try await PurchaseServiceHarness.with(claims: .exclusive) { harness async throws in
            harness.verifier.verifyPassword(.sample())
            _ = try await harness.confirm()
            let other = StoreTransaction.sample("2", product: "com.example.october", purchased: noon - 31 * 86_400)
            harness.verifier.verifyPassword(other, .sample(revoked: noon, reported: noon + 1))
            #expect(try await harness.confirm(by: buyer(2)) == .rejected(ReceiptRejection(.claimedByAnother)))
            #expect(try await harness.holdings().isEmpty)
            #expect(try await harness.ledger.transactions(of: "2", in: appStore).isEmpty)
        }
    }

    @Test("Rejects a receipt of an unsupported store and does not store it")
    func noStore() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let receipt = StoreReceipt([.receipt: "receipt"])
            let elsewhere = try await harness.purchaseService.confirm(receipt, from: .google, owner: buyer(1))
            #expect(elsewhere == .rejected(ReceiptRejection(.noStore)))
            #expect(
                try await harness.purchaseService.confirm(
                    receipt, from: .apple, app: "com.example.other", owner: buyer(1))
                    == .rejected(ReceiptRejection(.noStore)))
            #expect(try await harness.counts == nil)
            #expect(harness.verifier.queries.isEmpty)
        }
    }

    @Test("Sandbox purchases count only where the publication allows them")
    func sandbox() async throws {
        let transaction = StoreTransaction.sample(environment: .sandbox)
        for environments: Set<StoreEnvironment> in [[.production], [.production, .sandbox]] {
            try await PurchaseServiceHarness.with(environments: environments) { harness async throws in
                harness.verifier.verifyPassword(transaction)
                _ = try await harness.confirm()
                #expect(try await harness.holdings().isEmpty == !environments.contains(.sandbox))
            }
        }
    }

    @Test("Pitfall 18: rejects a receipt that the maximum number of persons has claimed")
    func claimed() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            for number: UInt8 in 1...2 {
                #expect(try await harness.confirm(by: buyer(number)) == .recorded([.sample()]))
            }
            #expect(try await harness.confirm(by: buyer(3)) == .rejected(ReceiptRejection(.claimedByAnother)))
            #expect(try await harness.holdings(buyer(3)).isEmpty)
            // A front door can apply a stricter rule.
            #expect(
                try await harness.confirm("other", by: buyer(4), claims: .exclusive)
                    == .rejected(ReceiptRejection(.claimedByAnother)))
            harness.verifier.startOutage()
            #expect(try await harness.confirm(by: buyer(3)) == .rejected(ReceiptRejection(.claimedByAnother)))
        }
    }

    @Test("Rejects a receipt that proves no plausible purchase")
    func senseless() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyBy { _ in .genuine([]) }
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.empty)))
            harness.verifier.verifyPassword(
                .sample("1\u{0}2"), .sample("", of: "1"), .sample(String(repeating: "9", count: 513)))
            #expect(try await harness.confirm() == .rejected(ReceiptRejection(.malformed)))
            harness.verifier.verifyPassword(.sample("1\u{0}2"), .sample())
            #expect(try await harness.confirm() == .recorded([.sample()]))
        }
    }

    @Test("Rejects a receipt that does not prove the named product, and records none of it")
    func otherProduct() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(
                .sample("1", product: "43929_1_spring"), .sample("2", product: "200_1", revoked: noon))
            for product in ["43929_2", "43929", "43929_1_", "43929_1_spr", "200", "com.example.november"] {
                #expect(
                    try await harness.confirm(product: product) == .rejected(ReceiptRejection(.wrongProduct)),
                    "\(product)")
            }
            #expect(try await harness.confirm(product: "200_1") == .rejected(ReceiptRejection(.revoked)))
            #expect(try await harness.ledger.transactions(of: "1", in: appStore).isEmpty)
            harness.verifier.startOutage()
            #expect(try await harness.confirm(product: "43929_2") == .rejected(ReceiptRejection(.wrongProduct)))
            harness.verifier.verifyPassword(.sample("1", product: "43929_1_spring"))
            for product in ["43929_1", "43929_1_spring"] {
                guard case .recorded = try await harness.confirm(product: product) else {
                    Issue.record("not recorded as \(product)")
                    return
                }
            }
            #expect(try await harness.ledger.transactions(of: "1", in: appStore).map(\.product) == ["43929_1_spring"])
        }
    }

    @Test("Fails without querying the store if the ledger fails")
    func ledgerDown() async throws {
        try await PurchaseServiceHarness.with(isDown: true) { harness async throws in
            await #expect(throws: Unavailable.self) { try await harness.confirm() }
            await #expect(throws: Unavailable.self) { try await harness.holdings() }
            #expect(harness.verifier.queries.isEmpty)
        }
    }

    @Test("A hundred concurrent confirmations count once")
    func parallel() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample())
            try await withThrowingTaskGroup(of: Commerce.Confirmation.self) { group in
                for _ in 0..<100 { group.addTask { try await harness.confirm() } }
                for try await response in group {
                    #expect(response == .recorded([.sample()]) || response == .recorded([]))
                }
            }
            #expect(try await harness.counts == .init(verified: 1))
            #expect(try await harness.purchaseService.transactions(of: buyer(1)) == [.sample()])
        }
    }
}
