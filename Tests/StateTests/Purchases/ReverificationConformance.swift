import Commerce
import Foundation
import Gatefold
import State
import Testing

@Suite("Purchases due for reverification", .stateServers, .serialized) struct ReverificationConformance {
    private let day: TimeInterval = 86_400

    private func due(
        _ store: any ReverificationQueue, of owner: PurchaseOwner? = nil, in stores: Set<StoreName> = [appStore, play],
        environments: Set<StoreEnvironment> = [.production], ending: Period? = nil, verifiedBefore: Date? = nil,
        at timestamp: Date, limit: Int = 9
    ) async throws -> [String] {
        try await store.reverifications(
            .ending(ending ?? Period(start: timestamp - 60 * day, end: timestamp)), of: owner, in: stores,
            environments: environments, verifiedBefore: verifiedBefore ?? timestamp - 3600, at: timestamp, limit: limit
        ).map(\.transaction.id)
    }

    private func bought(
        _ store: any ReverificationQueue, since: Date, verifiedBefore: Date = noon + 1, at timestamp: Date = noon + 1
    ) async throws -> [String] {
        try await store.reverifications(
            .bought(since: since), of: nil, in: [appStore, play], environments: [.production],
            verifiedBefore: verifiedBefore, at: timestamp, limit: 9
        ).map(\.transaction.id)
    }

    @Test(
        "Selects claimed purchases whose last known end lies in the given period",
        arguments: TestedStore<any PurchaseLedger>.all)
    func window(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let end = noon + 30 * day
            try await store.claim(.sample("1", expires: end), by: buyer(1), receipt: "1")
            try await store.claim(.sample("2", of: "2"), by: buyer(1), receipt: "2")
            try await store.record([.sample("3", expires: end)], at: noon)
            #expect(try await due(store, at: end - 1).isEmpty)
            #expect(try await due(store, at: end) == ["1"])
            #expect(try await due(store, at: end + 60 * day) == ["1"])
            #expect(try await due(store, at: end + 60 * day + 1).isEmpty)
            #expect(try await due(store, in: [play], at: end).isEmpty)
            #expect(try await due(store, in: [], at: end).isEmpty)
            let running = Period(start: noon, end: nil)
            #expect(try await due(store, ending: running, verifiedBefore: noon, at: noon).isEmpty)
            #expect(try await due(store, ending: running, verifiedBefore: noon + 1, at: noon + 1) == ["1"])
        }
    }

    @Test(
        "The last transaction of a purchase decides, even if it was revoked",
        arguments: TestedStore<any PurchaseLedger>.all)
    func last(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let renewal = StoreTransaction.sample("2", of: "1", purchased: noon + day, expires: noon + 2 * day)
            try await store.claim(.sample("1", expires: noon + day), renewal, by: buyer(1))
            #expect(try await due(store, at: noon + 1.5 * day).isEmpty)
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
            let refund = StoreTransaction.sample(
                "2", of: "1", purchased: noon + day, expires: noon + 2 * day, revoked: noon + day, reported: noon + day)
            try await store.record([refund], at: noon + day)
            // It may still be renewed, or the refund may be reversed.
            #expect(try await due(store, at: noon + 2 * day) == ["2"])
        }
    }

    @Test(
        "Selects purchases without an end by purchase date, even if they were revoked",
        arguments: TestedStore<any PurchaseLedger>.all)
    func singles(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            try await store.claim(
                .sample("1", purchased: noon - 2 * day), .sample("2", purchased: noon - day, revoked: noon),
                .sample("3", expires: noon + day), .sample("4", environment: .sandbox), by: buyer(1))
            try await store.record([.sample("5")], at: noon)
            #expect(try await bought(store, since: noon - 3 * day) == ["1", "2"])
            #expect(try await bought(store, since: noon - day) == ["2"])
            #expect(try await bought(store, since: noon - day + 1).isEmpty)
            #expect(try await bought(store, since: noon - 3 * day, verifiedBefore: noon).isEmpty)
            try await store.lastVerifiedAt(at: "1", in: appStore, timestamp: noon + 5)
            #expect(try await bought(store, since: noon - 3 * day, at: noon + 9) == ["2"])
        }
    }

    @Test("Selects purchases of the requested environments only", arguments: TestedStore<any PurchaseLedger>.all)
    func environments(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            try await store.claim(
                .sample("1", expires: noon + day), .sample("2", expires: noon + day, environment: .sandbox),
                by: buyer(1))
            let timestamp = noon + 2 * day
            #expect(try await due(store, at: timestamp) == ["1"])
            #expect(try await due(store, environments: [.sandbox], at: timestamp) == ["2"])
            #expect(try await due(store, environments: [.production, .sandbox], at: timestamp) == ["1", "2"])
            #expect(try await due(store, environments: [], at: timestamp).isEmpty)
        }
    }

    @Test(
        "The end includes the grace period, and other reports leave it unchanged",
        arguments: TestedStore<any PurchaseLedger>.all)
    func grace(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let grace = GracePeriod(ends: noon + 9 * day, reported: noon + 1)
            try await store.claim(.sample(expires: noon + day, grace: grace, reported: noon + 1), by: buyer(1))
            let silent = StoreTransaction.sample(expires: noon + day, reported: noon + 60)
            try await store.record([silent], at: noon + 60)
            let known = try #require(try await store.transactions(of: "1", in: appStore).first)
            #expect(known == silent.joined(with: .sample(grace: grace)) && known.ends == noon + 9 * day)
            #expect(try await due(store, at: noon + 2 * day).isEmpty)
            #expect(try await due(store, at: noon + 9 * day) == ["1"])
            let over = GracePeriod(ends: nil, reported: noon + 90)
            try await store.record([.sample(expires: noon + day, grace: over)], at: noon + 90)
            #expect(try await store.transactions(of: "1", in: appStore).first?.ends == noon + day)
        }
    }

    @Test("Purchases are found by the receipt that proved them", arguments: TestedStore<any PurchaseLedger>.all)
    func verified(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), .sample("2"), by: buyer(1), receipt: "old")
            try await store.claim(.sample("2"), by: buyer(1), receipt: "new")
            func verified(_ text: String, in name: StoreName = appStore) async throws -> [String] {
                try await store.purchases(verifiedBy: StoreReceipt([.receipt: text]), in: name, limit: 9)
                    .map(\.transaction.id)
            }
            #expect(try await verified("old") == ["1"])
            #expect(try await verified("new") == ["2"])
            #expect(try await verified("other").isEmpty)
            #expect(try await verified("old", in: play).isEmpty)
        }
    }

    @Test(
        "Purchases wait for acknowledgement while they are claimed and not revoked",
        arguments: TestedStore<any PurchaseLedger>.all)
    func unacknowledged(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            func waiting(at timestamp: Date = noon) async throws -> [String] {
                try await store.unacknowledged(
                    in: [appStore, play], environments: [.production], at: timestamp, limit: 9
                ).map(\.transaction.id)
            }
            let first = StoreTransaction.sample("1", purchased: noon - 2, awaitsAcknowledgement: true)
            try await store.claim(
                first, .sample("2", purchased: noon - 3, awaitsAcknowledgement: true), .sample("3"),
                .sample("4", revoked: noon, awaitsAcknowledgement: true),
                .sample("5", environment: .sandbox, awaitsAcknowledgement: true), by: buyer(1))
            try await store.record([.sample("6", awaitsAcknowledgement: true)], at: noon)
            #expect(try await waiting() == ["2", "1"])
            try await store.postponeReverification(at: "2", in: appStore, from: noon, until: noon + 60)
            #expect(try await waiting() == ["1"])
            #expect(try await waiting(at: noon + 60) == ["2", "1"])
            try await store.record([first.acknowledged], at: noon)
            #expect(try await waiting(at: noon + 60) == ["2"])
            // The store has not processed it yet, or the app was faster.
            try await store.record([first], at: noon)
            #expect(try await waiting(at: noon + 60) == ["2"])
            try await store.record([.sample("2", reported: noon + 1)], at: noon + 1)
            #expect(try await waiting(at: noon + 60).isEmpty)
        }
    }

    @Test("A purchase rests after a reverification and after a failure", arguments: TestedStore<any PurchaseLedger>.all)
    func resting(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let end = noon + day
            try await store.claim(.sample("1", expires: end), by: buyer(1))
            try await store.lastVerifiedAt(at: "1", in: appStore, timestamp: end + 1)
            #expect(try await due(store, at: end + 2).isEmpty)
            #expect(try await due(store, at: end + 3601).isEmpty)
            #expect(try await due(store, at: end + 3602) == ["1"])
            try await store.postponeReverification(at: "1", in: appStore, from: noon, until: end + 4000)
            #expect(try await due(store, at: end + 3999).isEmpty)
            #expect(try await due(store, at: end + 4000) == ["1"])
            // The store has reported something new since.
            try await store.postponeReverification(at: "1", in: appStore, from: noon, until: end + 9000)
            try await store.record([.sample("1", expires: end, reported: end + 4001)], at: end + 4001)
            #expect(try await due(store, at: end + 8000) == ["1"])
            try await store.lastVerifiedAt(at: "unknown", in: appStore, timestamp: noon)
        }
    }

    @Test(
        "A purchase that ended after its last verification is due at once",
        arguments: TestedStore<any PurchaseLedger>.all)
    func endedSince(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let end = noon + day
            try await store.claim(.sample("1", expires: end), by: buyer(1))
            try await store.lastVerifiedAt(at: "1", in: appStore, timestamp: end - 10)
            #expect(try await due(store, at: end + 1) == ["1"])
        }
    }

    @Test(
        "Purchases are ordered by waiting time, and failures do not block others",
        arguments: TestedStore<any PurchaseLedger>.all)
    func order(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            for number in 1...4 {
                try await store.claim(
                    .sample("\(number)", expires: noon + day, reported: noon - Double(number)), by: buyer(1),
                    receipt: "\(number)")
            }
            let timestamp = noon + 2 * day
            #expect(try await due(store, at: timestamp) == ["4", "3", "2", "1"])
            for failing in ["4", "3"] {
                try await store.postponeReverification(at: failing, in: appStore, from: noon, until: timestamp - 60)
            }
            #expect(try await due(store, at: timestamp, limit: 3) == ["2", "1", "4"])
        }
    }

    @Test(
        "A purchase has the latest receipt that proved it, for the whole person",
        arguments: TestedStore<any PurchaseLedger>.all)
    func receipts(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let transaction = StoreTransaction.sample("1", expires: noon + day)
            try await store.claim(transaction, by: buyer(1), receipt: "old", at: noon)
            try await store.claim(transaction, by: buyer(2), receipt: "new", at: noon + 60)
            func receipt() async throws -> String? {
                try await store.reverifications(
                    .ending(Period(start: noon, end: noon + day)), of: buyer(1), in: [appStore],
                    environments: [.production], verifiedBefore: noon + day, at: noon + day, limit: 1
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
