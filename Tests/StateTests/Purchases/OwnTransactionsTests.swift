import Commerce
import Gatefold
import TestSupport
import Testing

@Suite("Purchases that an operator of a publication sees", .stateServers) struct OwnTransactionsTests {
    @Test("Purchases of products of another publication in the same store are not shown")
    func products() async throws {
        try await PurchaseServiceHarness.with { harness in
            let foreign = StoreTransaction.sample("other", product: "com.example.other.month")
            _ = try await harness.ledger.claim(.sample("edition"), .month(), foreign, by: buyer(1))
            #expect(try await harness.purchaseService.transactions(of: buyer(1)).count == 3)
            let own = try await harness.purchaseService.ownTransactions(
                of: buyer(1), in: PurchaseServiceHarness.catalogue)
            #expect(Set(own.map(\.id)) == ["edition", "m"])
        }
    }

    @Test("Purchases of an environment that does not count are not shown")
    func environments() async throws {
        try await PurchaseServiceHarness.with { harness in
            _ = try await harness.ledger.claim(.sample("1", environment: .sandbox), by: buyer(1))
            let own = try await harness.purchaseService.ownTransactions(
                of: buyer(1), in: PurchaseServiceHarness.catalogue)
            #expect(own.isEmpty)
        }
    }
}
