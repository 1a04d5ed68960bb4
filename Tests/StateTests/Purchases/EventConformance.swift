import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Store notifications", .stateServers, .serialized) struct EventConformance {
    private func event(_ id: String, _ transactions: StoreTransaction..., in store: StoreName = appStore) -> StoreEvent
    {
        StoreEvent(store: store, id: id, name: "REFUND", signed: noon, transactions: transactions)
    }

    @Test(
        "Each notification is processed once per store",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>.all)
    func once(kind: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>) async throws {
        try await kind.with { store async throws in
            let isNew = try await store.take(event("1", .sample()), at: noon)
            #expect(isNew)
            #expect(try await !store.take(event("1", .sample(revoked: noon, reported: noon + 60)), at: noon))
            #expect(try await store.transactions(of: "1", in: appStore) == [.sample()])
            #expect(try await store.take(event("1", in: play), at: noon))
            #expect(try await store.take(event("2", .sample(revoked: noon, reported: noon + 60)), at: noon))
            #expect(try await store.transactions(of: "1", in: appStore).first?.revoked == noon)
        }
    }

    @Test(
        "A notification before its receipt takes effect",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>.all)
    func early(kind: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>) async throws {
        try await kind.with { store async throws in
            #expect(try await store.take(event("1", .sample(revoked: noon, reported: noon + 60)), at: noon))
            let delivery = Delivery(.sample(), to: Credit(account: "1"), in: daily)
            try await store.claim(.sample(), by: buyer(1), delivering: [delivery])
            #expect(try await store.transactions(of: buyer(1), in: [appStore]).first?.revoked == noon)
            // A revoked purchase is not credited.
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).isEmpty)
        }
    }

    @Test(
        "Notifications are retained for 90 days plus the margin of the store clock",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>.all)
    func retention(kind: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store async throws in
            #expect(try await store.take(event("1"), at: clock.now))
            try await store.maintain(for: 119, clock)
            #expect(try await store.take(event("2"), at: clock.now))
            #expect(try await !store.take(event("1"), at: clock.now))
            try await store.maintain(for: 2, clock)
            #expect(try await store.take(event("1"), at: clock.now))
            #expect(try await !store.take(event("2"), at: clock.now))
        }
    }

    @Test(
        "Of a hundred identical concurrent notifications, one is new",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>.all)
    func parallel(kind: TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention>) async throws {
        try await kind.with { store async throws in
            let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { try await store.take(event("1", .sample()), at: noon) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(fresh == 1)
        }
    }
}
