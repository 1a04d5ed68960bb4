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

    @Test("The owners of a transaction are found if it counts and is of a product of the publication")
    func owners() async throws {
        try await PurchaseServiceHarness.with { harness in
            let foreign = StoreTransaction.sample("other", product: "com.example.other.month")
            let test = StoreTransaction.sample("test", environment: .sandbox)
            _ = try await harness.ledger.claim(.sample("edition"), foreign, test, by: buyer(1))
            func owners(_ id: String) async throws -> [PurchaseOwner] {
                try await harness.purchaseService.owners(ofTransaction: id, in: PurchaseServiceHarness.catalogue)
            }
            #expect(try await owners("edition") == [buyer(1)])
            for id in ["other", "test", "none", ""] { #expect(try await owners(id).isEmpty, "\(id)") }
        }
    }
}
