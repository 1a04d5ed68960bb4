import BackendFixtures
import Commerce
import Dispatch
import Foundation
import Gatefold
import PostgreSQL
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Row locks of deliveries in PostgreSQL", .stateServers) struct DeliveryLockTests {
    private func withDeliveries(
        _ count: Int, _ body: (SQLStateStore, [Delivery.ID], PostgreSQLSchemaName) async throws -> Void
    ) async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        let store = try SQLStateStore(postgreSQL: try servers.settings(), schema: schema, library: try LibPQ())
        var ids: [Delivery.ID] = []
        for number in 0..<count {
            let transaction = StoreTransaction.sample("\(number)")
            let delivery = Delivery(
                transaction, to: Credit(account: "4711", price: "1.99", currency: "EUR"), in: daily)
            try await store.claim(
                transaction, by: buyer(1), receipt: "\(number)", delivering: [delivery], at: noon)
            ids.append(delivery.id)
        }
        try await body(store, ids, schema)
    }

    @Test("A claim leaves a row that another transaction holds, without waiting for it", .timeLimit(.minutes(2)))
    func held() async throws {
        try await withDeliveries(20) { store, ids, schema in
            let settings = try #require(StateServers.current).settings()
            let blocker = PostgreSQLConnection(try LibPQ(), settings.server, canceller: Canceller())
            defer { blocker.close() }
            try blocker.connect()
            _ = try blocker.script(
                "BEGIN; SELECT 1 FROM \(schema.name).delivery WHERE transaction_id = '\(ids[7].transaction)' FOR UPDATE",
                PostgreSQLConnection.Limits(rows: 9, time: .seconds(30)))
            let claimed = try await store.claim(ids, lease: [1], at: noon, until: noon + 35)
            #expect(claimed == Set(ids).subtracting([ids[7]]))
        }
    }

    @Test(
        "A claim that comes too late does not hold up the record of the deliveries that another node claimed",
        .timeLimit(.minutes(2)))
    func late() async throws {
        try await withDeliveries(20) { store, ids, _ in
            #expect(try await store.claim(ids, lease: [1], at: noon, until: noon + 35).count == 20)
            let (claimed, ending) = (AsyncStream.makeStream(of: Int.self), DispatchSemaphore(value: 0))
            let late = Task {
                try await store.database.write(.statements) { db in
                    let lost = try SQLStateStore.claim(db, ids, lease: [2], at: noon, until: noon + 35)
                    claimed.continuation.yield(lost.count)
                    // The transaction stays open until the other node has recorded its deliveries.
                    ending.wait()
                }
            }
            var counts = claimed.stream.makeAsyncIterator()
            #expect(await counts.next() == 0)
            let recorded = try? await store.delivered(ids, at: noon + 1)
            ending.signal()
            try await late.value
            #expect(recorded == Set(ids))
        }
    }
}
