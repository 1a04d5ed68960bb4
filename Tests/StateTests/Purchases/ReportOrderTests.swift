import Commerce
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Order of store reports", .stateServers, .serialized) struct ReportOrderTests {
    @Test("A later report replaces an earlier one; at equal times, a refund wins, then the later end")
    func rule() {
        let plain = StoreTransaction.sample(expires: noon + 60)
        let refunded = StoreTransaction.sample(expires: noon + 60, revoked: noon)
        let longer = StoreTransaction.sample(expires: noon + 90)
        let reversed = StoreTransaction.sample(expires: noon + 60, reported: noon + 1)
        #expect(refunded.replaces(plain) && !plain.replaces(refunded))
        #expect(longer.replaces(plain) && !plain.replaces(longer))
        #expect(refunded.replaces(longer) && !longer.replaces(refunded))
        #expect(reversed.replaces(refunded) && !refunded.replaces(reversed))
        #expect(!plain.replaces(plain))
    }

    /// Returns reports about a few transactions of a few purchases, with timestamps that often coincide.
    private static func transactions(_ random: inout SeededRandom) -> [StoreTransaction] {
        (0..<8).map { _ in
            StoreTransaction(
                store: appStore, id: "\(Int.random(in: 1...3, using: &random))",
                original: "\(Int.random(in: 1...2, using: &random))",
                product: ["a", "b"].randomElement(using: &random)!,
                purchased: noon + Double(Int.random(in: 0...1, using: &random)),
                expires: Bool.random(using: &random) ? noon + Double(Int.random(in: 0...2, using: &random)) : nil,
                grace: Int.random(in: 0...2, using: &random) == 0
                    ? GracePeriod(
                        ends: [nil, noon + 3, noon + 4].randomElement(using: &random)!,
                        reported: noon + Double(Int.random(in: 0...2, using: &random)))
                    : nil,
                revoked: Int.random(in: 0...2, using: &random) == 0 ? noon : nil,
                quantity: Int.random(in: 1...2, using: &random),
                environment: [.production, .sandbox].randomElement(using: &random)!,
                awaitsAcknowledgement: Bool.random(using: &random),
                reported: noon + Double(Int.random(in: 0...2, using: &random)))
        }
    }

    @Test("In any order of reverifications, receipts and notifications, the final record is the same")
    func permutations() async throws {
        var random = SeededRandom(seed: 44)
        for round in 0..<10 {
            let transactions = Self.transactions(&random)
            // Each report takes the same path in every order.
            let ways = transactions.map { _ in Int.random(in: 0...2, using: &random) }
            var outcomes: Set<[String]> = []
            for _ in 0..<3 {
                let order = Array(transactions.indices).shuffled(using: &random)
                try await TestedStore<any PurchaseLedger>.withEach({ $0 }) { store async throws in
                    for index in order {
                        switch ways[index] {
                        case 0: try await store.record([transactions[index]], at: noon + 9)
                        case 1:
                            try await store.claim(transactions[index], by: buyer(1), receipt: "\(index)", at: noon + 9)
                        default:
                            let event = StoreEvent(
                                store: appStore, id: "\(index)", name: "TEST", signed: noon,
                                transactions: [transactions[index]])
                            #expect(try await store.take(event, at: noon + 9))
                        }
                    }
                    var outcome: [String] = []
                    for original in ["1", "2"] {
                        outcome += try await store.transactions(of: original, in: appStore).map { "\($0)" }
                    }
                    outcome += try await store.ids(of: buyer(1))
                    let due = try await store.reverifications(
                        .ending(Period(start: noon - 99, end: nil)), of: nil, in: [appStore],
                        environments: [.production, .sandbox], verifiedBefore: noon + 99, at: noon + 99, limit: 9)
                    outcome += due.map { "\($0.transaction)" }.sorted()
                    outcomes.insert(outcome)
                }
            }
            #expect(outcomes.count == 1, "round \(round)")
        }
    }

    /// Returns the report without the parts that are compared separately.
    private static func base(_ transaction: StoreTransaction) -> StoreTransaction {
        StoreTransaction(
            store: transaction.store, id: transaction.id, original: transaction.original, product: transaction.product,
            purchased: transaction.purchased,
            expires: transaction.expires, revoked: transaction.revoked, quantity: transaction.quantity,
            environment: transaction.environment,
            awaitsAcknowledgement: transaction.awaitsAcknowledgement, reported: transaction.reported)
    }

    @Test("Replacement is a strict order: antisymmetric and without cycles")
    func strict() {
        var random = SeededRandom(seed: 45)
        for _ in 0..<3_000 {
            let transactions = Self.transactions(&random)
            for (one, other) in zip(transactions, transactions.dropFirst()) where one.id == other.id {
                #expect(one.joined(with: other) == other.joined(with: one))
                #expect(
                    (one.replaces(other) ? 1 : 0) + (other.replaces(one) ? 1 : 0)
                        == (Self.base(one) == Self.base(other) ? 0 : 1))
            }
            let three = transactions.prefix(3)
            let (a, b, c) = (three[0], three[1], three[2])
            if a.replaces(b), b.replaces(c) { #expect(a.replaces(c)) }
        }
    }
}
