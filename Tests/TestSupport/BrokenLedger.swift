public import Commerce
public import Foundation
public import Gatefold

/// A ledger that is unavailable, or one with a full disk that can be read but not written.
public struct BrokenLedger: PurchaseLedger {
    public struct UnavailableError: Error {}

    private let full: (any PurchaseLedger)?
    private let storesRecords: Bool
    private let reported: (@Sendable (PurchaseOwner) throws -> [StoreTransaction])?

    /// - Parameters:
    ///   - full: The ledger for reading.
    ///   - storesRecords: Whether it still stores the stores' reports about purchases.
    public init(full: (any PurchaseLedger)? = nil, storesRecords: Bool = false) {
        self.full = full
        self.storesRecords = storesRecords
        reported = nil
    }

    /// - Parameter reported: Returns the purchases of an owner. Every other query fails.
    public init(reporting reported: @escaping @Sendable (PurchaseOwner) throws -> [StoreTransaction]) {
        full = nil
        storesRecords = false
        self.reported = reported
    }

    private var readable: any PurchaseLedger {
        get throws {
            guard let full else { throw UnavailableError() }
            return full
        }
    }

    public func persist(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at timestamp: Date
    ) async throws -> ReceiptRecord { throw UnavailableError() }
    public func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at timestamp: Date
    ) async throws -> Settlement { throw UnavailableError() }
    public func persist(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at timestamp: Date
    ) async throws -> Settlement { throw UnavailableError() }
    public func reject(_ record: ReceiptRecord, _ rejection: ReceiptRejection, at timestamp: Date) async throws {
        throw UnavailableError()
    }
    public func abandon(_ record: ReceiptRecord.ID, pendingFor seconds: TimeInterval) async throws -> Bool {
        throw UnavailableError()
    }
    public func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at timestamp: Date, until due: Date
    ) async throws -> Bool { throw UnavailableError() }
    public func claim(
        _ record: ReceiptRecord.ID, lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> Bool { throw UnavailableError() }
    public func claimReverification(
        at original: String, in store: StoreName, lease: [UInt8], from timestamp: Date, until end: Date
    ) async throws -> Bool { throw UnavailableError() }
    public func receiptsDue(
        in publication: PublicationID, at timestamp: Date, limit: Int
    ) async throws -> [ReceiptRecord] { try await readable.receiptsDue(in: publication, at: timestamp, limit: limit) }
    public func record(_ transactions: [StoreTransaction], at timestamp: Date) async throws {
        guard storesRecords else { throw UnavailableError() }
        try await readable.record(transactions, at: timestamp)
    }
    public func take(_ event: StoreEvent, at timestamp: Date) async throws -> Bool { throw UnavailableError() }
    public func transactions(
        of owner: PurchaseOwner, in stores: Set<StoreName>
    ) async throws -> [StoreTransaction] {
        if let reported { return try reported(owner) }
        return try await readable.transactions(of: owner, in: stores)
    }
    public func transaction(_ id: String, in store: StoreName) async throws -> StoreTransaction? {
        try await readable.transaction(id, in: store)
    }

    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        try await readable.transactions(of: original, in: store)
    }
    public func reverifications(
        _ selection: ReverificationSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, verifiedBefore lastVerifiedAt: Date, at timestamp: Date, limit: Int
    ) async throws -> [Reverification] {
        if reported != nil { return [] }
        return try await readable.reverifications(
            selection, of: owner, in: stores, environments: environments, verifiedBefore: lastVerifiedAt, at: timestamp,
            limit: limit)
    }
    public func purchases(verifiedBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws
        -> [Reverification]
    {
        try await readable.purchases(verifiedBy: receipt, in: store, limit: limit)
    }
    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at timestamp: Date, limit: Int
    ) async throws -> [Reverification] {
        try await readable.unacknowledged(in: stores, environments: environments, at: timestamp, limit: limit)
    }
    public func lastVerifiedAt(at original: String, in store: StoreName, timestamp: Date) async throws {
        throw UnavailableError()
    }
    public func postponeReverification(
        at original: String, in store: StoreName, lease: [UInt8]?, from timestamp: Date, until due: Date
    ) async throws {
        throw UnavailableError()
    }
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberPseudonym,
        in publication: PublicationID, sealed: SealedSubscriber, limit: Int, at timestamp: Date
    ) async throws { throw UnavailableError() }
    public func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber? {
        try await readable.subscriber(linkedWith: owner)
    }
    public func unlink(_ owner: PurchaseOwner) async throws -> Bool { throw UnavailableError() }
    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] { throw UnavailableError() }
    public func owners(of original: String, in store: StoreName) async throws -> [PurchaseOwner] {
        try await readable.owners(of: original, in: store)
    }
    public func erase(_ owner: PurchaseOwner) async throws -> Int { throw UnavailableError() }
    public func receiptCounts(in publication: PublicationID) async throws -> ReceiptCounts {
        try await readable.receiptCounts(in: publication)
    }
}
