import Commerce
import Foundation
import GRDB
import Gatefold
import State
import Testing

@Suite("Hostile rows", .serialized) struct HostileRowsTests {
    /// A store with one row of each kind, changed by a second connection.
    private func withStore(
        _ change: String, _ test: (SQLStateStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            let transaction = StoreTransaction.sample(expires: noon)
            try await store.claim(
                transaction, by: buyer(1), delivering: [Delivery(transaction, to: Credit(account: "1"), in: daily)])
            _ = try await store.persist(.sample("pending"), at: noon)
            _ = try await store.begin(
                PushCampaign(
                    name: "1", publication: daily, app: "com.example.daily", environment: .production,
                    edition: november, begun: noon))
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: change) }
            try await test(store)
        }
    }

    @Test(
        "Damaged receipts are skipped and reported",
        arguments: [
            "UPDATE receipt SET store = ''", "UPDATE receipt SET owner = x'00'",
            "UPDATE receipt SET parts = x'ffffffff'",
            "UPDATE receipt SET attempts = -1",
        ])
    func receipts(change: String) async throws {
        try await withStore(change) { store async throws in
            #expect(try await store.receiptsDue(in: daily, at: noon + 99, limit: 9).isEmpty)
            #expect(store.unreadable.byTable == ["receipt": ["2"]])
        }
    }

    @Test(
        "Damaged settled receipts are rejected",
        arguments: [
            "UPDATE receipt SET status = 'lost'", "UPDATE receipt SET settled = NULL WHERE status = 'verified'",
            "UPDATE receipt SET status = 'rejected', reason = 'because', settled = 1.0",
            "UPDATE receipt SET status = 'rejected', reason = NULL, settled = 1.0",
        ])
    func receiptCounts(change: String) async throws {
        try await withStore(change) { store async throws in
            await #expect(throws: StateStoreError.unreadableRow(table: "receipt")) {
                try await store.persist(.sample(), at: noon)
            }
        }
    }

    @Test(
        "Damaged transactions are rejected",
        arguments: [
            "UPDATE store_transaction SET environment = 'moon'", "UPDATE store_transaction SET quantity = -1",
        ])
    func transactions(change: String) async throws {
        try await withStore(change) { store async throws in
            await #expect(throws: StateStoreError.unreadableRow(table: "store_transaction")) {
                try await store.transactions(of: buyer(1), in: [appStore])
            }
            await #expect(throws: StateStoreError.unreadableRow(table: "store_transaction")) {
                try await store.record([.sample(reported: noon + 1)], at: noon)
            }
        }
    }

    @Test(
        "Damaged deliveries and campaigns are skipped and reported",
        arguments: [
            "UPDATE delivery SET environment = ''; UPDATE push_campaign SET environment = ''",
            "UPDATE delivery SET quantity = -1; UPDATE push_campaign SET sent = -1",
            "UPDATE delivery SET attempts = -1; UPDATE push_campaign SET edition = '../x'",
        ])
    func others(change: String) async throws {
        try await withStore(change) { store async throws in
            #expect(try await store.deliveriesDue(in: daily, at: noon + 9, limit: 9).isEmpty)
            #expect(try await store.campaigns(in: daily, unfinished: false, limit: 9).isEmpty)
            let delivery = Delivery.ID(store: appStore, transaction: "1").reference
            #expect(store.unreadable.byTable == ["delivery": [delivery], "push_campaign": ["\"1\""]])
        }
    }

    @Test("The parts of any receipt are read back unchanged")
    func parts() async throws {
        try await withStore("SELECT 1") { store async throws in
            let receipts = (0..<50).map { number in
                IncomingReceipt.sample(String(repeating: "a\u{0}é\u{10FFFF}", count: number) + "\(number)")
            }
            for receipt in receipts { _ = try await store.persist(receipt, at: noon) }
            let stored = try await store.receiptsDue(in: daily, at: noon + 60, limit: 999).map(\.incoming)
            for receipt in receipts { #expect(stored.contains(receipt)) }
        }
    }
}
