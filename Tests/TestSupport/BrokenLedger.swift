public import Foundation
public import Gatefold

/// A ledger that can not be asked.
public struct BrokenLedger: PurchaseLedger {
    public struct Down: Error {}

    public init() {}

    public func keep(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at moment: Date
    ) async throws -> ReceiptRecord { throw Down() }
    public func settle(
        _ record: ReceiptRecord.ID, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement { throw Down() }
    public func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal, at moment: Date) async throws {
        throw Down()
    }
    public func forget(_ record: ReceiptRecord.ID) async throws { throw Down() }
    public func postpone(
        _ record: ReceiptRecord.ID, within limits: ReceiptLimits, until moment: Date
    ) async throws -> Bool { throw Down() }
    public func receiptsDue(
        in publication: PublicationID, at moment: Date, limit: Int
    ) async throws -> [ReceiptRecord] { throw Down() }
    public func note(_ transactions: [StoreTransaction], at moment: Date) async throws { throw Down() }
    public func take(_ event: StoreEvent, at moment: Date) async throws -> Bool { throw Down() }
    public func transactions(
        of owner: PurchaseOwner, in stores: Set<StoreName>
    ) async throws -> [StoreTransaction] { throw Down() }
    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        throw Down()
    }
    public func rechecks(
        _ selection: RecheckSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, lookedBefore looked: Date, at moment: Date, limit: Int
    ) async throws -> [Recheck] { throw Down() }
    public func purchases(provenBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Recheck] {
        throw Down()
    }
    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at moment: Date, limit: Int
    ) async throws -> [Recheck] { throw Down() }
    public func looked(at original: String, in store: StoreName, moment: Date) async throws { throw Down() }
    public func postponeLook(at original: String, in store: StoreName, until moment: Date) async throws {
        throw Down()
    }
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberReference,
        in publication: PublicationID, sealed: SealedSubscriber, most: Int, at moment: Date
    ) async throws { throw Down() }
    public func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber? { throw Down() }
    public func unlink(_ owner: PurchaseOwner) async throws -> Bool { throw Down() }
    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] { throw Down() }
    public func erase(_ owner: PurchaseOwner) async throws -> Int { throw Down() }
    public func standings(in publication: PublicationID) async throws -> ReceiptCounts { throw Down() }
}
