import Commerce
import Foundation
import TestSupport
import Testing

@Suite("Account credit", .stateServers, .serialized) struct CreditTests {
    private let credit = Credit(account: "4711")
    private let product = "com.example.credit10"

    private func deliveries(_ harness: PurchaseServiceHarness) async throws -> [Delivery] {
        try await harness.ledger.deliveries(in: daily, pendingOnly: false, limit: 99).map(\.delivery)
    }

    @Test("Orders one delivery for each purchase of the named product, however often it is confirmed")
    func once() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            let bought = StoreTransaction.sample("1", product: product)
            harness.verifier.verifyPassword(bought, .sample("2", product: "com.example.credit50"))
            for _ in 0..<3 {
                _ = try await harness.confirm(product: product, credit: credit)
                harness.clock.advance(by: 7200)
            }
            #expect(try await deliveries(harness) == [Delivery(bought, to: credit, in: daily)])
        }
    }

    @Test("Rejects a purchase of another product than the app names and stores only the rejection")
    func wrongProduct() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample("1", product: "com.example.credit1"))
            #expect(
                try await harness.confirm(product: product, credit: credit)
                    == .rejected(ReceiptRejection(.wrongProduct)))
            #expect(try await harness.confirm("bare", credit: credit) == .rejected(ReceiptRejection(.wrongProduct)))
            #expect(try await deliveries(harness).isEmpty)
            #expect(try await harness.purchaseService.transactions(of: buyer(1)).isEmpty)
            #expect(try await harness.counts == .init(rejected: 2))
        }
    }

    @Test("Rejects revoked and sandbox purchases")
    func revoked() async throws {
        try await PurchaseServiceHarness.with { harness async throws in
            harness.verifier.verifyPassword(.sample("1", product: product, revoked: noon))
            #expect(
                try await harness.confirm(product: product, credit: credit) == .rejected(ReceiptRejection(.revoked)))
            harness.verifier.verifyPassword(.sample("2", product: product, environment: .sandbox))
            #expect(
                try await harness.confirm("sandbox", product: product, credit: credit)
                    == .rejected(ReceiptRejection(.wrongProduct)))
            #expect(try await deliveries(harness).isEmpty)
        }
    }

    @Test("Pitfall 18: a credit is not delivered once a rejected receipt shows a revoked purchase")
    func refunded() async throws {
        let bought = StoreTransaction.sample("1", product: product)
        let refunded = StoreTransaction.sample("1", product: product, revoked: noon, reported: noon + 1)
        let other = StoreTransaction.sample("2", product: "com.example.credit50")
        for (named, reason) in [(product, .revoked), ("com.example.none", .wrongProduct)]
            as [(String, ReceiptRejection.Reason)]
        {
            try await PurchaseServiceHarness.with { harness async throws in
                harness.verifier.verifyPassword(bought)
                _ = try await harness.confirm(product: product, credit: credit)
                #expect(try await harness.ledger.deliveriesDue(in: daily, at: noon + 99, limit: 9).count == 1)
                harness.verifier.verifyPassword(refunded, other)
                #expect(
                    try await harness.confirm("later", product: named, credit: credit)
                        == .rejected(ReceiptRejection(reason)))
                #expect(try await harness.ledger.deliveriesDue(in: daily, at: noon + 99, limit: 9).isEmpty)
                #expect(try await harness.ledger.transactions(of: "2", in: appStore).isEmpty)
            }
        }
    }

    @Test("Pitfall 18: a credit goes to the account that claims first, even if the store responds later")
    func secondAccount() async throws {
        try await PurchaseServiceHarness.with(claims: .exclusive) { harness async throws in
            harness.verifier.startOutage()
            for (account, number) in [("4711", 1), ("4712", 2)] as [(String, UInt8)] {
                #expect(
                    try await harness.confirm(product: product, by: buyer(number), credit: Credit(account: account))
                        == .pending)
            }
            harness.verifier.verifyPassword(.sample("1", product: product))
            harness.clock.advance(by: 60)
            #expect(try await harness.purchaseService.followUp() == 2)
            #expect(try await deliveries(harness).map(\.credit.account) == ["4711"])
            #expect(
                try await harness.confirm(product: product, by: buyer(2), credit: Credit(account: "4712"))
                    == .rejected(ReceiptRejection(.claimedByAnother)))
        }
    }
}
