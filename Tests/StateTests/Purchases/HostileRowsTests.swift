import Foundation
import GRDB
import Gatefold
import State
import Testing

@Suite("Rows that somebody else wrote", .serialized) struct HostileRowsTests {
    /// A store with one of everything, and a way around it.
    private func withStore(
        _ change: String, _ test: (SQLiteStateStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            let transaction = StoreTransaction.sample(expires: noon)
            try await store.claim(
                transaction, by: buyer(1), delivering: [Delivery(transaction, to: Credit(account: "1"), in: daily)])
            _ = try await store.keep(.sample("waiting"), at: noon)
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
        "of receipts are passed over and reported, and never trap",
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
        "of receipts settled are refused, too",
        arguments: [
            "UPDATE receipt SET standing = 'lost'", "UPDATE receipt SET settled = NULL WHERE standing = 'proven'",
            "UPDATE receipt SET standing = 'refused', reason = 'because', settled = 1.0",
            "UPDATE receipt SET standing = 'refused', reason = NULL, settled = 1.0",
        ])
    func standings(change: String) async throws {
        try await withStore(change) { store async throws in
            await #expect(throws: StateStoreError.unreadableRow(table: "receipt")) {
                try await store.keep(.sample(), at: noon)
            }
        }
    }

    @Test(
        "of transactions are refused",
        arguments: [
            "UPDATE store_transaction SET environment = 'moon'", "UPDATE store_transaction SET quantity = -1",
        ])
    func transactions(change: String) async throws {
        try await withStore(change) { store async throws in
            await #expect(throws: StateStoreError.unreadableRow(table: "store_transaction")) {
                try await store.transactions(of: buyer(1), in: [appStore])
            }
            await #expect(throws: StateStoreError.unreadableRow(table: "store_transaction")) {
                try await store.note([.sample(told: noon + 1)], at: noon)
            }
        }
    }

    @Test(
        "of deliveries and campaigns are passed over and reported",
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

    @Test("A receipt's parts are read back whatever they are, or not at all")
    func parts() async throws {
        try await withStore("SELECT 1") { store async throws in
            let receipts = (0..<50).map { number in
                IncomingReceipt.sample(String(repeating: "a\u{0}é\u{10FFFF}", count: number) + "\(number)")
            }
            for receipt in receipts { _ = try await store.keep(receipt, at: noon) }
            let kept = try await store.receiptsDue(in: daily, at: noon + 60, limit: 999).map(\.incoming)
            for receipt in receipts { #expect(kept.contains(receipt)) }
        }
    }
}
