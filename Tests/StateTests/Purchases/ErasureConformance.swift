import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Erasure of an owner", .stateServers, .serialized) struct ErasureConformance {
    @Test(
        "Erases receipts, claims, links and transactions without another claim",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func everything(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
            try await store.claim(.sample("2"), by: buyer(1), receipt: "2")
            try await store.claim(.sample("2"), by: buyer(2), receipt: "2")
            _ = try await store.persist(.sample("pending"), at: noon)
            try await store.link(buyer(1), to: buyer(100))
            // Two claims, three receipts, one link, and one transaction with its purchase.
            #expect(try await store.erase(buyer(1)) == 8)
            #expect(try await store.erase(buyer(1)) == 0)
            #expect(try await store.ids(of: buyer(1)).isEmpty)
            #expect(try await store.transactions(of: "1", in: appStore).isEmpty)
            #expect(try await store.ids(of: buyer(2)) == ["2"])
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
            #expect(try await store.receiptsDue(in: daily, at: noon + 99, limit: 9).isEmpty)
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 1)])
        }
    }

    @Test(
        "Retains revoked transactions, so an old receipt cannot restore them",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func refunds(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let renewed = StoreTransaction.sample("m2", of: "m", product: "com.example.month", expires: noon + 9)
            let refunded = StoreTransaction.sample("1", revoked: noon + 1, reported: noon + 1)
            let period = StoreTransaction.sample(
                "m1", of: "m", product: "com.example.month", expires: noon + 8, revoked: noon + 1, reported: noon + 1)
            try await store.claim(.sample("1"), .sample("2"), period, renewed, by: buyer(1))
            try await store.record([refunded], at: noon + 1)
            _ = try await store.erase(buyer(1))
            #expect(try await store.ids(of: buyer(1)).isEmpty)
            #expect(try await store.transactions(of: "1", in: appStore) == [refunded])
            #expect(try await store.transactions(of: "2", in: appStore).isEmpty)
            #expect(try await store.transactions(of: "m", in: appStore) == [period])
            try await store.claim(.sample("1"), .sample("2"), by: buyer(2), receipt: "old")
            #expect(try await store.transactions(of: buyer(2), in: [appStore]) == [refunded, .sample("2")])
        }
    }

    @Test("Erasure of a subscriber removes its links", arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func subscriber(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            try await store.link(buyer(1), to: buyer(100))
            #expect(try await store.erase(buyer(100)) == 1)
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
        }
    }

    @Test(
        "Retains the record of a delivery, but not its account",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func deliveries(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            func buy(_ account: String, _ owner: PurchaseOwner) async throws {
                for id in ["done", "pending"] {
                    let transaction = StoreTransaction.sample(id)
                    try await store.claim(
                        transaction, by: owner, receipt: id, rule: .exclusive,
                        delivering: [Delivery(transaction, to: Credit(account: account), in: daily)])
                }
            }
            try await buy("4711", buyer(1))
            try await store.delivered(Delivery.ID(store: appStore, transaction: "done"), at: noon)
            _ = try await store.erase(buyer(1))
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).isEmpty)
            // A delivery in the outbox may have arrived, so neither is credited to the next account.
            try await buy("4712", buyer(2))
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).isEmpty)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 99, limit: 9).isEmpty)
        }
    }
}
