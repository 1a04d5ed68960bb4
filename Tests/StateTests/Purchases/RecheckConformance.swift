import Foundation
import Gatefold
import Testing

@Suite("Subscriptions to look at again", .serialized) struct RecheckConformance {
    private let day: TimeInterval = 86_400

    private func due(
        _ store: any StateStore, of owner: PurchaseOwner? = nil, in stores: Set<StoreName> = [appStore, play],
        ending: Period? = nil, lookedBefore: Date? = nil, at moment: Date, limit: Int = 9
    ) async throws -> [String] {
        try await store.rechecks(
            of: owner, in: stores, ending: ending ?? Period(start: moment - 60 * day, end: moment),
            lookedBefore: lookedBefore ?? moment - 3600, at: moment, limit: limit
        ).map(\.transaction.id)
    }

    @Test("are those claimed whose last known end lies in the time asked for", arguments: FullStore.allCases)
    func window(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let end = noon + 30 * day
            try await store.claim(.sample("1", expires: end), by: buyer(1), receipt: "1")
            try await store.claim(.sample("2", of: "2"), by: buyer(1), receipt: "2")
            try await store.note([.sample("3", expires: end)], at: noon)
            #expect(try await due(store, at: end - 1).isEmpty)
            #expect(try await due(store, at: end) == ["1"])
            #expect(try await due(store, at: end + 60 * day) == ["1"])
            #expect(try await due(store, at: end + 60 * day + 1).isEmpty)
            #expect(try await due(store, in: [play], at: end).isEmpty)
            #expect(try await due(store, in: [], at: end).isEmpty)
            let running = Period(start: noon, end: nil)
            #expect(try await due(store, ending: running, lookedBefore: noon, at: noon).isEmpty)
            #expect(try await due(store, ending: running, lookedBefore: noon + 1, at: noon + 1) == ["1"])
        }
    }

    @Test("are known by the last transaction, and not when that was taken back", arguments: FullStore.allCases)
    func last(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let renewal = StoreTransaction.sample("2", of: "1", purchased: noon + day, expires: noon + 2 * day)
            try await store.claim(.sample("1", expires: noon + day), renewal, by: buyer(1))
            #expect(try await due(store, at: noon + 1.5 * day).isEmpty)
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
            let refund = StoreTransaction.sample(
                "2", of: "1", purchased: noon + day, expires: noon + 2 * day, revoked: noon + day, told: noon + day)
            try await store.note([refund], at: noon + day)
            #expect(try await due(store, at: noon + 2 * day).isEmpty)
            // The refund is reversed.
            try await store.note(
                [.sample("2", of: "1", purchased: noon + day, expires: noon + 2 * day, told: noon + 1.2 * day)],
                at: noon + 1.2 * day)
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
        }
    }

    @Test("rest after a look, and after a failure until they are due again", arguments: FullStore.allCases)
    func resting(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let end = noon + day
            try await store.claim(.sample("1", expires: end), by: buyer(1))
            try await store.looked(at: "1", in: appStore, moment: end + 1)
            #expect(try await due(store, at: end + 2).isEmpty)
            #expect(try await due(store, at: end + 3601).isEmpty)
            #expect(try await due(store, at: end + 3602) == ["1"])
            try await store.postponeLook(at: "1", in: appStore, until: end + 4000)
            #expect(try await due(store, at: end + 3999).isEmpty)
            #expect(try await due(store, at: end + 4000) == ["1"])
            try await store.looked(at: "unknown", in: appStore, moment: noon)
        }
    }

    @Test("that ended after the last look are due at once", arguments: FullStore.allCases)
    func endedSince(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let end = noon + day
            try await store.claim(.sample("1", expires: end), by: buyer(1))
            try await store.looked(at: "1", in: appStore, moment: end - 10)
            #expect(try await due(store, at: end + 1) == ["1"])
        }
    }

    @Test("come to those that wait longest first, and failures do not stand in the way", arguments: FullStore.allCases)
    func order(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for number in 1...4 {
                try await store.claim(
                    .sample("\(number)", expires: noon + day, told: noon - Double(number)), by: buyer(1),
                    receipt: "\(number)")
            }
            let moment = noon + 2 * day
            #expect(try await due(store, at: moment) == ["4", "3", "2", "1"])
            for failing in ["4", "3"] {
                try await store.postponeLook(at: failing, in: appStore, until: moment - 60)
            }
            #expect(try await due(store, at: moment, limit: 3) == ["2", "1", "4"])
        }
    }

    @Test("come with the latest receipt that proved them, and are the person's", arguments: FullStore.allCases)
    func receipts(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let transaction = StoreTransaction.sample("1", expires: noon + day)
            try await store.claim(transaction, by: buyer(1), receipt: "old", at: noon)
            try await store.claim(transaction, by: buyer(2), receipt: "new", at: noon + 60)
            func receipt() async throws -> String? {
                try await store.rechecks(
                    of: buyer(1), in: [appStore], ending: Period(start: noon, end: noon + day),
                    lookedBefore: noon + day, at: noon + day, limit: 1
                ).first?.receipt?[.receipt]
            }
            #expect(try await receipt() == "new")
            _ = try await store.erase(buyer(2))
            #expect(try await receipt() == "old")
            #expect(try await due(store, of: buyer(3), at: noon + day).isEmpty)
            try await store.link(buyer(3), to: buyer(100))
            try await store.link(buyer(1), to: buyer(100))
            #expect(try await due(store, of: buyer(3), at: noon + day) == ["1"])
        }
    }
}
