import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Settlement of a receipt", .stateServers, .serialized) struct SettlementConformance {
    @Test(
        "Records transactions for the owner who claims them only",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func claiming(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let month = StoreTransaction.sample("2", of: "2", product: "com.example.month", expires: noon + 60)
            #expect(try await store.claim(.sample("1"), month, by: buyer(1)) == .settled)
            #expect(try await store.transactions(of: buyer(1), in: [appStore]) == [.sample("1"), month])
            #expect(try await store.transactions(of: buyer(1), in: [play]).isEmpty)
            #expect(try await store.transactions(of: buyer(1), in: []).isEmpty)
            #expect(try await store.transactions(of: buyer(2), in: [appStore]).isEmpty)
            #expect(try await store.transactions(of: "2", in: appStore) == [month])
            #expect(try await store.transactions(of: "2", in: play).isEmpty)
            #expect(try await store.transaction("2", in: appStore) == month)
            #expect(try await store.transaction("2", in: play) == nil)
        }
    }

    @Test(
        "A claim includes every renewal of the purchase, from any source",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func renewals(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1", of: "1"), by: buyer(1))
            try await store.record([.sample("2", of: "1", purchased: noon + 60)], at: noon)
            #expect(try await store.ids(of: buyer(1)) == ["1", "2"])
        }
    }

    @Test(
        "Separates equal transaction identifiers of two stores",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func stores(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1))
            try await store.record([.sample("1", in: play)], at: noon)
            #expect(try await store.transactions(of: buyer(1), in: [appStore, play]) == [.sample("1")])
        }
    }

    @Test("A receipt without an owner claims nothing", arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func nobody(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            #expect(try await store.claim(.sample("1"), by: nil) == .settled)
            #expect(try await store.transactions(of: "1", in: appStore).count == 1)
            #expect(try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive) == .settled)
        }
    }

    @Test(
        "An exclusive rule rejects a second claim and records only the revocation",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func exclusive(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive)
            let delivery = Delivery(.sample("2"), to: Credit(account: "thief"), in: daily)
            #expect(
                try await store.claim(
                    .sample("2"), .sample("1", revoked: noon, reported: noon + 1), by: buyer(2), rule: .exclusive,
                    delivering: [delivery], at: noon + 5) == .claimedByAnother)
            #expect(
                try await store.persist(.sample(of: buyer(2)), at: noon).status
                    == .rejected(ReceiptRejection(.claimedByAnother), at: noon + 5))
            #expect(try await store.ids(of: buyer(2)).isEmpty)
            #expect(try await store.transactions(of: "2", in: appStore).isEmpty)
            #expect(
                try await store.transactions(of: "1", in: appStore)
                    == [.sample("1", revoked: noon, reported: noon + 1)])
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).isEmpty)
            #expect(try await store.claim(.sample("1"), by: buyer(1), rule: .exclusive) == .settled)
        }
    }

    @Test(
        "Admits as many persons as the rule allows, and admits them again",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func several(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let rule = ClaimRule(maxPersons: 3)
            for number: UInt8 in 1...5 {
                let response = try await store.claim(.sample(), by: buyer(number), rule: rule)
                #expect(response == (number <= 3 ? .settled : .claimedByAnother))
            }
            for number: UInt8 in 1...3 {
                // The same holds under a rule that has become stricter.
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .settled)
            }
        }
    }

    @Test(
        "A receipt that was erased fails and records nothing",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func gone(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let record = try await store.persist(.sample(), at: noon)
            _ = try await store.erase(buyer(1))
            await #expect(throws: (any Error).self) {
                try await store.settle(record, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            }
            #expect(try await store.transactions(of: "1", in: appStore).isEmpty)
        }
    }

    @Test(
        "Pitfall 18: a hundred concurrent settlements create one receipt, one transaction and one delivery",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func parallel(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let transaction = StoreTransaction.sample()
            let credit = Credit(account: "4711")
            let results = try await withThrowingTaskGroup(of: Settlement.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let record = try await store.persist(.sample(credit: credit), at: noon)
                        return try await store.settle(
                            record, proving: [transaction], claims: .exclusive,
                            delivering: [Delivery(transaction, to: credit, in: daily)], at: noon)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == Array(repeating: .settled, count: 100))
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 1)])
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).count == 1)
        }
    }

    @Test(
        "Pitfall 18: a rule of ten admits ten of fifty concurrent accounts",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func shared(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let results = try await withThrowingTaskGroup(of: Settlement.self) { group in
                for number: UInt8 in 1...50 {
                    group.addTask { try await store.claim(.sample(), by: buyer(number)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0 == .settled } == 10)
            var owners = 0
            for number: UInt8 in 1...50 where try await !store.ids(of: buyer(number)).isEmpty { owners += 1 }
            #expect(owners == 10)
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 10, rejected: 40)])
        }
    }
}
