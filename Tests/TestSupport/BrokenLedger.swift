public import Foundation
public import Gatefold

/// A ledger that can not be asked; or one whose disk is full, that can be asked and keeps nothing.
public struct BrokenLedger: PurchaseLedger {
    public struct Down: Error {}

    private let full: (any PurchaseLedger)?
    private let notes: Bool
    private let told: (@Sendable (PurchaseOwner) throws -> [StoreTransaction])?

    /// - Parameters:
    ///   - full: what it still tells.
    ///   - notes: whether stores' words about purchases are still kept there.
    public init(full: (any PurchaseLedger)? = nil, notes: Bool = false) {
        self.full = full
        self.notes = notes
        told = nil
    }

    /// - Parameter told: the purchases of each owner; nothing else can be asked.
    public init(telling told: @escaping @Sendable (PurchaseOwner) throws -> [StoreTransaction]) {
        full = nil
        notes = false
        self.told = told
    }

    private var readable: any PurchaseLedger {
        get throws {
            guard let full else { throw Down() }
            return full
        }
    }

    public func keep(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at moment: Date
    ) async throws -> ReceiptRecord { throw Down() }
    public func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement { throw Down() }
    public func keep(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at moment: Date
    ) async throws -> Settlement { throw Down() }
    public func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal, at moment: Date) async throws {
        throw Down()
    }
    public func giveUp(_ record: ReceiptRecord.ID, afterWaiting seconds: TimeInterval) async throws -> Bool {
        throw Down()
    }
    public func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at moment: Date, until due: Date
    ) async throws -> Bool { throw Down() }
    public func claim(
        _ record: ReceiptRecord.ID, lease: [UInt8], at moment: Date, until end: Date
    ) async throws -> Bool { throw Down() }
    public func claimLook(
        at original: String, in store: StoreName, lease: [UInt8], from moment: Date, until end: Date
    ) async throws -> Bool { throw Down() }
    public func receiptsDue(
        in publication: PublicationID, at moment: Date, limit: Int
    ) async throws -> [ReceiptRecord] { try await readable.receiptsDue(in: publication, at: moment, limit: limit) }
    public func note(_ transactions: [StoreTransaction], at moment: Date) async throws {
        guard notes else { throw Down() }
        try await readable.note(transactions, at: moment)
    }
    public func take(_ event: StoreEvent, at moment: Date) async throws -> Bool { throw Down() }
    public func transactions(
        of owner: PurchaseOwner, in stores: Set<StoreName>
    ) async throws -> [StoreTransaction] {
        if let told { return try told(owner) }
        return try await readable.transactions(of: owner, in: stores)
    }
    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        try await readable.transactions(of: original, in: store)
    }
    public func rechecks(
        _ selection: RecheckSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, lookedBefore looked: Date, at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        if told != nil { return [] }
        return try await readable.rechecks(
            selection, of: owner, in: stores, environments: environments, lookedBefore: looked, at: moment,
            limit: limit)
    }
    public func purchases(provenBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Recheck] {
        try await readable.purchases(provenBy: receipt, in: store, limit: limit)
    }
    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        try await readable.unacknowledged(in: stores, environments: environments, at: moment, limit: limit)
    }
    public func looked(at original: String, in store: StoreName, moment: Date) async throws { throw Down() }
    public func postponeLook(
        at original: String, in store: StoreName, lease: [UInt8]?, from moment: Date, until due: Date
    ) async throws {
        throw Down()
    }
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberReference,
        in publication: PublicationID, sealed: SealedSubscriber, most: Int, at moment: Date
    ) async throws { throw Down() }
    public func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber? {
        try await readable.subscriber(linkedWith: owner)
    }
    public func unlink(_ owner: PurchaseOwner) async throws -> Bool { throw Down() }
    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] { throw Down() }
    public func holders(of original: String, in store: StoreName) async throws -> [PurchaseOwner] {
        try await readable.holders(of: original, in: store)
    }
    public func erase(_ owner: PurchaseOwner) async throws -> Int { throw Down() }
    public func standings(in publication: PublicationID) async throws -> ReceiptCounts {
        try await readable.standings(in: publication)
    }
}
