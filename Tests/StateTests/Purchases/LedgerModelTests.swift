import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import State

/// A desk over a file, with a model beside it that is told the same.
private struct ModelledLedger {
    private let path: String
    private let clock = ManualClock(noon)
    private let verifier = ScriptedVerifier()
    private var random: SeededRandom
    private var store: SQLiteStateStore
    private(set) var model = LedgerModel(mostPersons: 2, mostLinked: 2)
    private var message: StoreEvent?
    private var steps: [String] = []

    static let owners = (1...5).map { buyer($0) }
    static let subscribers = [buyer(100), buyer(101)]
    /// The last purchase is a subscription that runs, the others are single ones.
    static let products = ["one", "two", "three", "com.example.month"]
    static let opened = ["one", "two", "three", "of-the-month"].map { EditionID($0)! }
    private static let catalogue = Catalogue(
        opened.enumerated().map { index, id in
            Edition(id: id, title: id.rawValue, published: noon - (index == 3 ? 1 : 100) * 86_400)
        })

    init(path: String, seed: UInt64) throws {
        self.path = path
        random = SeededRandom(seed: seed)
        store = try SQLiteStateStore(path: path)
    }

    private var desk: PurchaseDesk {
        PurchaseDesk(
            publication: daily, products: ProductRules(subscriptions: [DeskRig.month]),
            claims: ClaimRule(mostPersons: model.mostPersons), times: PurchaseTimes(patience: 60),
            verifiers: [verifier], ledger: store, clock: clock.wall)
    }

    private func transaction(_ purchase: Int, revoked: Date? = nil, told: Date = noon) -> StoreTransaction {
        .sample(
            "\(purchase)", product: Self.products[purchase], purchased: noon - 10 * 86_400,
            expires: purchase == 3 ? noon + 3_650 * 86_400 : nil,
            revoked: revoked, told: told)
    }

    mutating func step(links: Bool) async throws {
        clock.advance(by: .random(in: 7_200...400_000, using: &random))
        let owner = (Self.owners + Self.subscribers).randomElement(using: &random)!
        let installation = Self.owners.randomElement(using: &random)!
        let purchase = Self.products.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: try await confirm(by: owner)
        case 7: try await confirmInOutage(by: owner)
        case 8: try await followUp()
        case 9, 10: try await tell(purchase, isRefund: true)
        case 11: try await tell(purchase, isRefund: false)
        case 12:
            guard let message else { return }
            steps.append("the last message again")
            // After ninety days it counts as new, and changes as little.
            _ = try await store.take(message, at: clock.now)
        case 13..<16 where links:
            let subscriber = Self.subscribers.randomElement(using: &random)!
            steps.append("link \(installation) to \(subscriber)")
            try await store.link(installation, to: subscriber, most: model.mostLinked, at: clock.now)
            model.link(installation, to: subscriber)
        case 16 where links:
            steps.append("unlink \(installation)")
            #expect(try await desk.unlink(installation) == model.unlink(installation), "\(steps)")
        case 17:
            steps.append("erase \(owner)")
            _ = try await store.erase(owner)
            model.erase(owner)
        case 18:
            steps.append("a hundred days pass")
            clock.advance(by: 100 * 86_400)
        case 19:
            steps.append("restart")
            try store.pool.close()
            store = try SQLiteStateStore(path: path)
        default: break
        }
    }

    private mutating func confirm(by owner: PurchaseOwner) async throws {
        let purchases = Self.products.indices.filter { _ in Bool.random(using: &random) }
        if purchases.isEmpty { return }
        let isFresh = Bool.random(using: &random)
        let told = clock.now
        let proven = purchases.map { purchase in
            isFresh
                ? transaction(purchase, revoked: model.refunded.contains(purchase) ? told : nil, told: told)
                : transaction(purchase)
        }
        verifier.verifyBy { _ in .genuine(proven) }
        steps.append("\(owner) confirms \(purchases), \(isFresh ? "fresh" : "as it was")")
        let answer = try await desk.confirm(receipt(), from: .apple, owner: owner)
        let refusal = model.confirm(purchases, by: owner, isFresh: isFresh)
        #expect(answer == refusal.map { .refused(ReceiptRefusal($0)) } ?? .recorded(proven), "\(steps)")
    }

    private mutating func confirmInOutage(by owner: PurchaseOwner) async throws {
        let purchase = Self.products.indices.randomElement(using: &random)!
        verifier.breakDown()
        steps.append("\(owner) confirms \(purchase) in an outage")
        #expect(
            try await desk.confirm(receipt(Self.products[purchase]), from: .apple, owner: owner) == .kept, "\(steps)")
        model.wait([purchase], by: owner)
    }

    /// The store can be asked again, and says what the receipts said when they were handed in.
    private mutating func followUp() async throws {
        let all = Self.products.indices.map { transaction($0) }
        verifier.verifyBy { receipt in
            .genuine([all[Self.products.firstIndex(of: receipt[.product] ?? "") ?? 0]])
        }
        verifier.currentBy { _ in [] }
        steps.append("follow up")
        _ = try await desk.followUp()
        model.followUp()
    }

    private mutating func tell(_ purchase: Int, isRefund: Bool) async throws {
        let now = clock.now
        let event = StoreEvent(
            store: appStore, id: "\(steps.count)", name: isRefund ? "REFUND" : "REFUND_REVERSED", signed: now,
            transactions: [transaction(purchase, revoked: isRefund ? now : nil, told: now)])
        steps.append("\(event.name) of \(purchase)")
        #expect(try await store.take(event, at: now))
        if isRefund { model.refund(purchase) } else { model.reverse(purchase) }
        message = event
    }

    /// No two are the same.
    private mutating func receipt(_ product: String = "") -> StoreReceipt {
        StoreReceipt([.receipt: "receipt \(steps.count)", .product: product])
    }

    func compare() async throws {
        for owner in Self.owners + Self.subscribers {
            let held = try await desk.holdings(of: owner, in: Self.catalogue).editions
            let expected = Set(model.opened(by: owner).map { Self.opened[$0] })
            #expect(held == expected, "\(owner) after \(steps)")
        }
        let claims = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM claim") }
        #expect(claims == model.claims.count, "\(steps)")
    }

    var isWithinLimit: Bool {
        Self.products.indices.allSatisfy { model.persons(claiming: $0).count <= model.mostPersons }
    }
}

@Suite("A ledger and a model of it", .serialized) struct LedgerModelTests {
    @Test("agree on who opens what, whatever happens in whatever order", arguments: 1...8 as ClosedRange<UInt64>)
    func agree(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            var ledger = try ModelledLedger(path: folder + "/state.sqlite", seed: seed)
            for _ in 0..<20 {
                for _ in 0..<3 { try await ledger.step(links: true) }
                try await ledger.compare()
            }
        }
    }

    @Test(
        "Pitfall 18: where nobody links, never more persons have a purchase than may",
        arguments: 21...23 as ClosedRange<UInt64>)
    func limited(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            var ledger = try ModelledLedger(path: folder + "/state.sqlite", seed: seed)
            for _ in 0..<40 {
                try await ledger.step(links: false)
                #expect(ledger.isWithinLimit)
            }
            try await ledger.compare()
        }
    }
}
