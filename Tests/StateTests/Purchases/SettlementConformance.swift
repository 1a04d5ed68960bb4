import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Settling a receipt", .serialized) struct SettlementConformance {
    @Test("records transactions for whoever claims them, and for nobody else", arguments: FullStore.allCases)
    func claiming(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let month = StoreTransaction.sample("2", of: "2", product: "com.example.month", expires: noon + 60)
            #expect(try await store.claim(.sample("1"), month, by: buyer(1)) == .settled)
            #expect(try await store.transactions(of: buyer(1), in: [appStore]) == [.sample("1"), month])
            #expect(try await store.transactions(of: buyer(1), in: [play]).isEmpty)
            #expect(try await store.transactions(of: buyer(1), in: []).isEmpty)
            #expect(try await store.transactions(of: buyer(2), in: [appStore]).isEmpty)
            #expect(try await store.transactions(of: "2", in: appStore) == [month])
            #expect(try await store.transactions(of: "2", in: play).isEmpty)
        }
    }

    @Test("brings every renewal of a claimed purchase with it, whoever tells of it", arguments: FullStore.allCases)
    func renewals(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1", of: "1"), by: buyer(1))
            try await store.note([.sample("2", of: "1", purchased: noon + 60)], at: noon)
            #expect(try await store.ids(of: buyer(1)) == ["1", "2"])
        }
    }

    @Test("keeps two stores' transactions of one identifier apart", arguments: FullStore.allCases)
    func stores(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1))
            try await store.note([.sample("1", in: play)], at: noon)
            #expect(try await store.transactions(of: buyer(1), in: [appStore, play]) == [.sample("1")])
        }
    }

    @Test("of nobody's receipt claims nothing", arguments: FullStore.allCases)
    func nobody(kind: FullStore) async throws {
        try await kind.with { store async throws in
            #expect(try await store.claim(.sample("1"), by: nil) == .settled)
            #expect(try await store.transactions(of: "1", in: appStore).count == 1)
            #expect(try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive) == .settled)
        }
    }

    @Test(
        "is refused where the rule lets nobody else claim, and then nothing is written but what was taken back",
        arguments: FullStore.allCases)
    func exclusive(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive)
            let delivery = Delivery(.sample("2"), to: Credit(account: "thief"), in: daily)
            #expect(
                try await store.claim(
                    .sample("2"), .sample("1", revoked: noon, told: noon + 1), by: buyer(2), rule: .exclusive,
                    delivering: [delivery], at: noon + 5) == .claimedByAnother)
            #expect(
                try await store.keep(.sample(of: buyer(2)), at: noon).standing
                    == .refused(ReceiptRefusal(.claimedByAnother), at: noon + 5))
            #expect(try await store.ids(of: buyer(2)).isEmpty)
            #expect(try await store.transactions(of: "2", in: appStore).isEmpty)
            #expect(
                try await store.transactions(of: "1", in: appStore)
                    == [.sample("1", revoked: noon, told: noon + 1)])
            #expect(try await store.deliveries(in: daily, waiting: false, limit: 9).isEmpty)
            #expect(try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive) == .settled)
        }
    }

    @Test("admits as many persons as the rule says, and those it admitted again", arguments: FullStore.allCases)
    func several(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let rule = ClaimRule(mostPersons: 3)
            for number: UInt8 in 1...5 {
                let answer = try await store.claim(.sample(), by: buyer(number), rule: rule)
                #expect(answer == (number <= 3 ? .settled : .claimedByAnother))
            }
            for number: UInt8 in 1...3 {
                // Also under a rule that has become narrower since.
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .settled)
            }
        }
    }

    @Test("of a receipt that is gone fails, and keeps nothing", arguments: FullStore.allCases)
    func gone(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let record = try await store.keep(.sample(), at: noon)
            _ = try await store.erase(buyer(1))
            await #expect(throws: (any Error).self) {
                try await store.settle(record, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            }
            #expect(try await store.transactions(of: "1", in: appStore).isEmpty)
        }
    }

    @Test(
        "Pitfall 18: a hundred times at once is one receipt, one transaction and one delivery",
        arguments: FullStore.allCases)
    func parallel(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let transaction = StoreTransaction.sample()
            let credit = Credit(account: "4711")
            let answers = try await withThrowingTaskGroup(of: Settlement.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let record = try await store.keep(.sample(credit: credit), at: noon)
                        return try await store.settle(
                            record, proving: [transaction], claims: .exclusive,
                            delivering: [Delivery(transaction, to: credit, in: daily)], at: noon)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: .settled, count: 100))
            #expect(try await store.standings(in: daily).stores == [appStore: .init(proven: 1)])
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            #expect(try await store.deliveries(in: daily, waiting: false, limit: 9).count == 1)
        }
    }

    @Test("Pitfall 18: of fifty accounts at once a rule of ten admits ten", arguments: FullStore.allCases)
    func shared(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let answers = try await withThrowingTaskGroup(of: Settlement.self) { group in
                for number: UInt8 in 1...50 {
                    group.addTask { try await store.claim(.sample(), by: buyer(number)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0 == .settled } == 10)
            var holders = 0
            for number: UInt8 in 1...50 where try await !store.ids(of: buyer(number)).isEmpty { holders += 1 }
            #expect(holders == 10)
            #expect(try await store.standings(in: daily).stores == [appStore: .init(proven: 10, refused: 40)])
        }
    }
}
