import Foundation
import Gatefold
import Testing

@Suite("Purchases to look at again", .serialized) struct RecheckConformance {
    private let day: TimeInterval = 86_400

    private func due(
        _ store: any StateStore, of owner: PurchaseOwner? = nil, in stores: Set<StoreName> = [appStore, play],
        environments: Set<StoreEnvironment> = [.production], ending: Period? = nil, lookedBefore: Date? = nil,
        at moment: Date, limit: Int = 9
    ) async throws -> [String] {
        try await store.rechecks(
            .ending(ending ?? Period(start: moment - 60 * day, end: moment)), of: owner, in: stores,
            environments: environments, lookedBefore: lookedBefore ?? moment - 3600, at: moment, limit: limit
        ).map(\.transaction.id)
    }

    private func bought(
        _ store: any StateStore, since: Date, lookedBefore: Date = noon + 1, at moment: Date = noon + 1
    ) async throws -> [String] {
        try await store.rechecks(
            .bought(since: since), of: nil, in: [appStore, play], environments: [.production],
            lookedBefore: lookedBefore, at: moment, limit: 9
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

    @Test("are known by the last transaction, also when that was taken back", arguments: FullStore.allCases)
    func last(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let renewal = StoreTransaction.sample("2", of: "1", purchased: noon + day, expires: noon + 2 * day)
            try await store.claim(.sample("1", expires: noon + day), renewal, by: buyer(1))
            #expect(try await due(store, at: noon + 1.5 * day).isEmpty)
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
            let refund = StoreTransaction.sample(
                "2", of: "1", purchased: noon + day, expires: noon + 2 * day, revoked: noon + day, told: noon + day)
            try await store.note([refund], at: noon + day)
            // It may be renewed all the same, or the refund be reversed.
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
        }
    }

    @Test("that have no end are those bought since, also when they were taken back", arguments: FullStore.allCases)
    func singles(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(
                .sample("1", purchased: noon - 2 * day), .sample("2", purchased: noon - day, revoked: noon),
                .sample("3", expires: noon + day), .sample("4", environment: .sandbox), by: buyer(1))
            try await store.note([.sample("5")], at: noon)
            #expect(try await bought(store, since: noon - 3 * day) == ["1", "2"])
            #expect(try await bought(store, since: noon - day) == ["2"])
            #expect(try await bought(store, since: noon - day + 1).isEmpty)
            #expect(try await bought(store, since: noon - 3 * day, lookedBefore: noon).isEmpty)
            try await store.looked(at: "1", in: appStore, moment: noon + 5)
            #expect(try await bought(store, since: noon - 3 * day, at: noon + 9) == ["2"])
        }
    }

    @Test("are those of the environments that count for whoever asks", arguments: FullStore.allCases)
    func environments(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(
                .sample("1", expires: noon + day), .sample("2", expires: noon + day, environment: .sandbox),
                by: buyer(1))
            let moment = noon + 2 * day
            #expect(try await due(store, at: moment) == ["1"])
            #expect(try await due(store, environments: [.sandbox], at: moment) == ["2"])
            #expect(try await due(store, environments: [.production, .sandbox], at: moment) == ["1", "2"])
            #expect(try await due(store, environments: [], at: moment).isEmpty)
        }
    }

    @Test("end with their grace, which words that say nothing of it leave as it is", arguments: FullStore.allCases)
    func grace(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let grace = GracePeriod(ends: noon + 9 * day, told: noon + 1)
            try await store.claim(.sample(expires: noon + day, grace: grace, told: noon + 1), by: buyer(1))
            let silent = StoreTransaction.sample(expires: noon + day, told: noon + 60)
            try await store.note([silent], at: noon + 60)
            let known = try #require(try await store.transactions(of: "1", in: appStore).first)
            #expect(known == silent.joined(with: .sample(grace: grace)) && known.ends == noon + 9 * day)
            #expect(try await due(store, at: noon + 2 * day).isEmpty)
            #expect(try await due(store, at: noon + 9 * day) == ["1"])
            let over = GracePeriod(ends: nil, told: noon + 90)
            try await store.note([.sample(expires: noon + day, grace: over)], at: noon + 90)
            #expect(try await store.transactions(of: "1", in: appStore).first?.ends == noon + day)
        }
    }

    @Test("are found by the receipt that proved them", arguments: FullStore.allCases)
    func proven(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), .sample("2"), by: buyer(1), receipt: "old")
            try await store.claim(.sample("2"), by: buyer(1), receipt: "new")
            func proven(_ text: String, in name: StoreName = appStore) async throws -> [String] {
                try await store.purchases(provenBy: StoreReceipt([.receipt: text]), in: name, limit: 9)
                    .map(\.transaction.id)
            }
            #expect(try await proven("old") == ["1"])
            #expect(try await proven("new") == ["2"])
            #expect(try await proven("other").isEmpty)
            #expect(try await proven("old", in: play).isEmpty)
        }
    }

    @Test(
        "wait to be acknowledged until they are, while they are claimed and not taken back",
        arguments: FullStore.allCases)
    func unacknowledged(kind: FullStore) async throws {
        try await kind.with { store async throws in
            func waiting(at moment: Date = noon) async throws -> [String] {
                try await store.unacknowledged(
                    in: [appStore, play], environments: [.production], at: moment, limit: 9
                ).map(\.transaction.id)
            }
            let first = StoreTransaction.sample("1", purchased: noon - 2, awaitsAcknowledgement: true)
            try await store.claim(
                first, .sample("2", purchased: noon - 3, awaitsAcknowledgement: true), .sample("3"),
                .sample("4", revoked: noon, awaitsAcknowledgement: true),
                .sample("5", environment: .sandbox, awaitsAcknowledgement: true), by: buyer(1))
            try await store.note([.sample("6", awaitsAcknowledgement: true)], at: noon)
            #expect(try await waiting() == ["2", "1"])
            try await store.postponeLook(at: "2", in: appStore, from: noon, until: noon + 60)
            #expect(try await waiting() == ["1"])
            #expect(try await waiting(at: noon + 60) == ["2", "1"])
            try await store.note([first.acknowledged], at: noon)
            #expect(try await waiting(at: noon + 60) == ["2"])
            // The store has not noticed yet; or the app was faster.
            try await store.note([first], at: noon)
            #expect(try await waiting(at: noon + 60) == ["2"])
            try await store.note([.sample("2", told: noon + 1)], at: noon + 1)
            #expect(try await waiting(at: noon + 60).isEmpty)
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
            try await store.postponeLook(at: "1", in: appStore, from: noon, until: end + 4000)
            #expect(try await due(store, at: end + 3999).isEmpty)
            #expect(try await due(store, at: end + 4000) == ["1"])
            // The store has said something new since.
            try await store.postponeLook(at: "1", in: appStore, from: noon, until: end + 9000)
            try await store.note([.sample("1", expires: end, told: end + 4001)], at: end + 4001)
            #expect(try await due(store, at: end + 8000) == ["1"])
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
                try await store.postponeLook(at: failing, in: appStore, from: noon, until: moment - 60)
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
                    .ending(Period(start: noon, end: noon + day)), of: buyer(1), in: [appStore],
                    environments: [.production], lookedBefore: noon + day, at: noon + day, limit: 1
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
