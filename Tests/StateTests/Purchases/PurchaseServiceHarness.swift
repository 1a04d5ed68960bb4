import Commerce
import Foundation
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

/// A publication that sells in a scripted store, with its ledger in SQLite.
struct PurchaseServiceHarness {
    let ledger: any PurchaseLedger & DeliveryOutbox & SessionStore
    let verifier: ScriptedVerifier
    let clock: ManualClock
    let purchaseService: PurchaseService
    let events: Locked<[PurchaseEvent]>

    static let month = SubscriptionProduct(pattern: "com.example.month*")
    static let catalogue = Catalogue([
        Edition(id: EditionID("com.example.november")!, title: "November", published: noon - 86_400),
        Edition(id: EditionID("com.example.october")!, title: "October", published: noon - 31 * 86_400),
        Edition(id: EditionID("com.example.free")!, title: "Free", published: noon - 86_400, isFree: true),
    ])

    init(
        _ ledger: any PurchaseLedger & DeliveryOutbox & SessionStore, verifier: ScriptedVerifier = ScriptedVerifier(),
        environments: Set<StoreEnvironment> = [.production], claims: ClaimRule = ClaimRule(maxPersons: 2),
        limits: ReceiptLimits = ReceiptLimits(),
        times: ReverificationSchedule = ReverificationSchedule(reverifyTimeout: 60),
        isDown: Bool = false, clock: ManualClock = ManualClock(noon)
    ) {
        let events = Locked<[PurchaseEvent]>([])
        self.ledger = ledger
        self.verifier = verifier
        self.clock = clock
        self.events = events
        purchaseService = PurchaseService(
            publication: daily, products: ProductRules(subscriptions: [Self.month]), environments: environments,
            claims: claims, limits: limits, times: times, verifiers: [verifier],
            ledger: isDown ? BrokenLedger() : ledger, clock: clock.wall,
            observe: { event in events.withLock { $0.append(event) } })
    }

    static func with(
        environments: Set<StoreEnvironment> = [.production], claims: ClaimRule = ClaimRule(maxPersons: 2),
        limits: ReceiptLimits = ReceiptLimits(),
        times: ReverificationSchedule = ReverificationSchedule(reverifyTimeout: 60),
        isDown: Bool = false, _ test: (PurchaseServiceHarness) async throws -> Void
    ) async throws {
        for kind in TestedStore<any PurchaseLedger & DeliveryOutbox & SessionStore>.durable({ $0 }) {
            let clock = ManualClock(noon)
            try await kind.with(clock: clock.wall) {
                try await test(
                    PurchaseServiceHarness(
                        $0, environments: environments, claims: claims, limits: limits, times: times, isDown: isDown,
                        clock: clock))
            }
        }
    }

    func confirm(
        _ text: String = "receipt", product: String? = nil, by owner: PurchaseOwner = buyer(1),
        credit: Credit? = nil, claims: ClaimRule? = nil
    ) async throws -> Commerce.Confirmation {
        var parts: [StoreReceipt.Part: String] = [.receipt: text]
        parts[.product] = product
        return try await purchaseService.confirm(
            StoreReceipt(parts), from: .apple, owner: owner, credit: credit, claims: claims)
    }

    func holdings(_ owner: PurchaseOwner = buyer(1)) async throws -> Holdings {
        try await purchaseService.holdings(of: owner, in: Self.catalogue)
    }

    var counts: ReceiptCounts.Count? {
        get async throws { try await ledger.receiptCounts(in: daily).stores[appStore] }
    }
}

let november = EditionID("com.example.november")!
let october = EditionID("com.example.october")!

extension StoreTransaction {
    /// Returns a monthly subscription that starts at noon.
    static func month(
        _ id: String = "m", from start: Date = noon, days: Double = 30, revoked: Date? = nil, reported: Date? = nil
    ) -> StoreTransaction {
        .sample(
            id, of: "m", product: "com.example.month", purchased: start, expires: start + days * 86_400,
            revoked: revoked, reported: reported ?? start)
    }
}
