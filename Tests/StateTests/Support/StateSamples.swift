import Commerce
import Foundation
import Gatefold
import TestSupport

func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatefold-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
}

let daily = PublicationID("daily")!
let weekly = PublicationID("weekly")!
let noon = Date(timeIntervalSince1970: 1_793_534_400)
func subscriber(_ number: UInt8) -> SubscriberPseudonym { SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, 0, number])! }
func device(_ number: UInt8) -> DevicePseudonym { DevicePseudonym(bytes: [number, 0, 0, 0, 0, 0, 0, number])! }

extension StateRetention {
    /// Advances the clock by this number of days and maintains the store after each day.
    func maintain(for days: Int, _ clock: ManualClock) async throws {
        for _ in 0..<days {
            clock.advance(by: 86_400)
            _ = try await maintain()
        }
    }
}

let appStore = StoreName("app-store")!
let play = StoreName("play")!
func buyer(_ number: UInt8) -> PurchaseOwner { PurchaseOwner(bytes: [UInt8](repeating: number, count: 16))! }

extension IncomingReceipt {
    static func sample(
        _ text: String = "receipt", of someone: PurchaseOwner? = buyer(1), in publication: PublicationID = daily,
        store: StoreName = appStore, credit: Credit? = nil
    ) -> IncomingReceipt {
        IncomingReceipt(
            publication: publication, store: store, owner: someone, receipt: StoreReceipt([.receipt: text]),
            credit: credit)
    }
}

extension StoreTransaction {
    static func sample(
        _ id: String = "1", of original: String? = nil, product: String = "com.example.november",
        in store: StoreName = appStore, purchased: Date = noon, expires: Date? = nil, grace: GracePeriod? = nil,
        revoked: Date? = nil, environment: StoreEnvironment = .production, awaitsAcknowledgement: Bool = false,
        reported: Date = noon
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: original ?? id, product: product, purchased: purchased, expires: expires,
            grace: grace, revoked: revoked, environment: environment, awaitsAcknowledgement: awaitsAcknowledgement,
            reported: reported)
    }
}

extension PurchaseLedger {
    /// Persists a receipt and settles it.
    @discardableResult
    func claim(
        _ transactions: StoreTransaction..., by owner: PurchaseOwner?, receipt: String = "receipt",
        rule: ClaimRule = ClaimRule(maxPersons: 10), delivering: [Delivery] = [], at timestamp: Date = noon
    ) async throws -> Settlement {
        let record = try await persist(.sample(receipt, of: owner), at: timestamp)
        return try await settle(
            record, proving: transactions, claims: rule, delivering: delivering, at: timestamp)
    }
}

extension ReverificationQueue {
    /// Postpones the reverification of a purchase that has no lease.
    func postponeReverification(at original: String, in store: StoreName, from timestamp: Date, until due: Date)
        async throws
    {
        try await postponeReverification(at: original, in: store, lease: nil, from: timestamp, until: due)
    }
}

extension TransactionLedger {
    func ids(of owner: PurchaseOwner) async throws -> [String] {
        try await transactions(of: owner, in: [appStore, play]).map(\.id)
    }
}

extension PersonLedger {
    func link(_ owner: PurchaseOwner, to subscriber: PurchaseOwner, limit: Int = 10, at timestamp: Date = noon)
        async throws
    {
        let reference = SubscriberPseudonym(bytes: subscriber.bytes.prefix(SubscriberPseudonym.size))!
        try await link(
            owner, to: subscriber, reference: reference, in: daily, sealed: SealedSubscriber(bytes: [7]), limit: limit,
            at: timestamp)
    }
}
