import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A store's messages", .serialized) struct EventConformance {
    private func event(_ id: String, _ transactions: StoreTransaction..., in store: StoreName = appStore) -> StoreEvent
    {
        StoreEvent(store: store, id: id, name: "REFUND", signed: noon, transactions: transactions)
    }

    @Test("are taken in once per store", arguments: FullStore.allCases)
    func once(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let isNew = try await store.take(event("1", .sample()), at: noon)
            #expect(isNew)
            #expect(try await !store.take(event("1", .sample(revoked: noon, told: noon + 60)), at: noon))
            #expect(try await store.transactions(of: "1", in: appStore) == [.sample()])
            #expect(try await store.take(event("1", in: play), at: noon))
            #expect(try await store.take(event("2", .sample(revoked: noon, told: noon + 60)), at: noon))
            #expect(try await store.transactions(of: "1", in: appStore).first?.revoked == noon)
        }
    }

    @Test("count when they come before the receipt they are about", arguments: FullStore.allCases)
    func early(kind: FullStore) async throws {
        try await kind.with { store async throws in
            #expect(try await store.take(event("1", .sample(revoked: noon, told: noon + 60)), at: noon))
            let delivery = Delivery(.sample(), to: Credit(account: "1"), in: daily)
            try await store.claim(.sample(), by: buyer(1), delivering: [delivery])
            #expect(try await store.transactions(of: buyer(1), in: [appStore]).first?.revoked == noon)
            // Nobody is credited for what was taken back.
            #expect(try await store.deliveries(in: daily, waiting: false, limit: 9).isEmpty)
        }
    }

    @Test("are forgotten after 90 days and the margin of the store's clock", arguments: FullStore.allCases)
    func retention(kind: FullStore) async throws {
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

    @Test("of a hundred that are the same, all at once, one is new", arguments: FullStore.allCases)
    func parallel(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { try await store.take(event("1", .sample()), at: noon) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(fresh == 1)
        }
    }
}
