import Commerce
import Foundation
import GRDB
import Gatefold
import SQLAccess
import TestSupport
import Testing

@testable import State

/// A purchase service over a file, with a model that receives the same calls.
private struct ModelledLedger {
    private let path: String
    private let clock = ManualClock(noon)
    private let verifier = ScriptedVerifier()
    private var random: SeededRandom
    private var store: SQLStateStore
    private(set) var model = LedgerModel(maxPersons: 2, maxLinked: 2)
    private var message: StoreEvent?
    private var steps: [String] = []

    static let owners = (1...5).map { buyer($0) }
    static let subscribers = [buyer(100), buyer(101)]
    /// The last purchase is a running subscription, and the others are single purchases.
    static let products = ["one", "two", "three", "com.example.month"]
    static let opened = ["one", "two", "three", "of-the-month"].map { EditionID($0)! }
    private static let catalogue = Catalogue(
        opened.enumerated().map { index, id in
            Edition(id: id, title: id.rawValue, published: noon - (index == 3 ? 1 : 100) * 86_400)
        })

    init(path: String, seed: UInt64) throws {
        self.path = path
        random = SeededRandom(seed: seed)
        store = try SQLStateStore(path: path)
    }

    private var purchaseService: PurchaseService {
        PurchaseService(
            publication: daily, products: ProductRules(subscriptions: [PurchaseServiceHarness.month]),
            claims: ClaimRule(maxPersons: model.maxPersons), times: ReverificationSchedule(reverifyTimeout: 60),
            verifiers: [verifier], ledger: store, clock: clock.wall)
    }

    private func transaction(_ purchase: Int, revoked: Date? = nil, reported: Date = noon) -> StoreTransaction {
        .sample(
            "\(purchase)", product: Self.products[purchase], purchased: noon - 10 * 86_400,
            expires: purchase == 3 ? noon + 3_650 * 86_400 : nil,
            revoked: revoked, reported: reported)
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
        case 9, 10: try await notify(purchase, isRefund: true)
        case 11: try await notify(purchase, isRefund: false)
        case 12:
            guard let message else { return }
            steps.append("the last message again")
            // After ninety days it counts as new but changes nothing.
            _ = try await store.take(message, at: clock.now)
        case 13..<16 where links:
            let subscriber = Self.subscribers.randomElement(using: &random)!
            steps.append("link \(installation) to \(subscriber)")
            try await store.link(installation, to: subscriber, limit: model.maxLinked, at: clock.now)
            model.link(installation, to: subscriber)
        case 16 where links:
            steps.append("unlink \(installation)")
            #expect(try await purchaseService.unlink(installation) == model.unlink(installation), "\(steps)")
        case 17:
            steps.append("erase \(owner)")
            _ = try await store.erase(owner)
            model.erase(owner)
        case 18:
            steps.append("a hundred days pass")
            clock.advance(by: 100 * 86_400)
        case 19:
            steps.append("restart")
            try store.close()
            store = try SQLStateStore(path: path)
        default: break
        }
    }

    private mutating func confirm(by owner: PurchaseOwner) async throws {
        let purchases = Self.products.indices.filter { _ in Bool.random(using: &random) }
        if purchases.isEmpty { return }
        let isFresh = Bool.random(using: &random)
        let reported = clock.now
        let verified = purchases.map { purchase in
            isFresh
                ? transaction(purchase, revoked: model.refunded.contains(purchase) ? reported : nil, reported: reported)
                : transaction(purchase)
        }
        verifier.verifyBy { _ in .genuine(verified) }
        steps.append("\(owner) confirms \(purchases), \(isFresh ? "fresh" : "as it was")")
        let response = try await purchaseService.confirm(receipt(), from: .apple, owner: owner)
        let rejection = model.confirm(purchases, by: owner, isFresh: isFresh)
        #expect(response == rejection.map { .rejected(ReceiptRejection($0)) } ?? .recorded(verified), "\(steps)")
    }

    private mutating func confirmInOutage(by owner: PurchaseOwner) async throws {
        let purchase = Self.products.indices.randomElement(using: &random)!
        verifier.startOutage()
        steps.append("\(owner) confirms \(purchase) in an outage")
        #expect(
            try await purchaseService.confirm(receipt(Self.products[purchase]), from: .apple, owner: owner) == .pending,
            "\(steps)")
        model.wait([purchase], by: owner)
    }

    /// Ends the outage. The store returns what the receipts contained when they were submitted.
    private mutating func followUp() async throws {
        let all = Self.products.indices.map { transaction($0) }
        verifier.verifyBy { receipt in
            .genuine([all[Self.products.firstIndex(of: receipt[.product] ?? "") ?? 0]])
        }
        verifier.currentBy { _ in [] }
        steps.append("follow up")
        _ = try await purchaseService.followUp()
        model.followUp()
    }

    private mutating func notify(_ purchase: Int, isRefund: Bool) async throws {
        let now = clock.now
        let event = StoreEvent(
            store: appStore, id: "\(steps.count)", name: isRefund ? "REFUND" : "REFUND_REVERSED", signed: now,
            transactions: [transaction(purchase, revoked: isRefund ? now : nil, reported: now)])
        steps.append("\(event.name) of \(purchase)")
        #expect(try await store.take(event, at: now))
        if isRefund { model.refund(purchase) } else { model.reverse(purchase) }
        message = event
    }

    /// Returns a receipt that differs from all others.
    private mutating func receipt(_ product: String = "") -> StoreReceipt {
        StoreReceipt([.receipt: "receipt \(steps.count)", .product: product])
    }

    func compare() async throws {
        for owner in Self.owners + Self.subscribers {
            let held = try await purchaseService.holdings(of: owner, in: Self.catalogue).editions
            let expected = Set(model.opened(by: owner).map { Self.opened[$0] })
            #expect(held == expected, "\(owner) after \(steps)")
        }
        let claims = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM claim") }
        #expect(claims == model.claims.count, "\(steps)")
    }

    var isWithinLimit: Bool {
        Self.products.indices.allSatisfy { model.persons(claiming: $0).count <= model.maxPersons }
    }
}

@Suite("Ledger compared with a model", .serialized) struct LedgerModelTests {
    @Test("Both open the same editions after any sequence of steps", arguments: 1...8 as ClosedRange<UInt64>)
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
        "Pitfall 18: without links, a purchase never exceeds its limit of persons",
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
