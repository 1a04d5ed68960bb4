public import Foundation
public import Gatefold

/// A store of receipts and purchases. Data is on disk when a call returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol PurchaseLedger: PurchaseErasing {
    /// Stores a receipt unchanged, before any other step. The receipt is due one minute later in case the caller
    /// does not complete it. The same receipt of the same owner in the same publication is stored once.
    ///
    /// - Returns: The record of the receipt, with its earlier status if it was already stored.
    /// - Throws: ``ReceiptLimitReached`` for a new receipt beyond the limits.
    func persist(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at timestamp: Date
    ) async throws -> ReceiptRecord

    /// Stores the result of a proven receipt in one atomic write: transactions, claims and deliveries, each (store,
    /// transaction) once.
    ///
    /// A known transaction is replaced only by a later state, see ``StoreTransaction/reported``. An owner that is
    /// linked with a subscriber is the same person and claims once. If the rule allows no further person to claim
    /// one of the purchases, the ledger records only the rejection of the receipt and the store's revocations. The
    /// ledger deletes those earlier receipts of the owner to which no claim refers any more.
    ///
    /// - Parameters:
    ///   - record: The record that was read. If a claim needs the content of a receipt that the ledger has deleted, the
    ///     content is stored again.
    ///   - transactions: The transactions that the receipt proved.
    ///   - claims: The rule for the number of persons that may claim a purchase.
    ///   - delivering: The deliveries for the outbox, for transactions that no account was credited for before.
    ///   - timestamp: The current time.
    func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at timestamp: Date
    ) async throws -> Settlement

    /// Stores a receipt that its store has already verified, with its result, like
    /// ``settle(_:proving:claims:delivering:at:)``. No limit applies. If no further person may claim, a new receipt
    /// is not stored.
    func persist(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at timestamp: Date
    ) async throws -> Settlement

    /// Records that a receipt proved nothing. Only its digest is retained, unless a claim refers to the receipt.
    ///
    /// - Parameters:
    ///   - record: The record that was read before the store query. A receipt that was proven since remains proven.
    ///   - rejection: The reason of the rejection.
    ///   - timestamp: The current time.
    func reject(_ record: ReceiptRecord, _ rejection: ReceiptRejection, at timestamp: Date) async throws

    /// Deletes a receipt that has been pending for at least the given number of seconds. The ledger uses its own
    /// clock, which does not jump (see `StoreClock`). If the same receipt arrives again, it counts as new.
    ///
    /// - Returns: Whether the receipt was deleted.
    func abandon(_ record: ReceiptRecord.ID, pendingFor seconds: TimeInterval) async throws -> Bool

    /// Claims a due receipt, so that only one of many processes queries its store. The receipt is due again when
    /// the lease ends, even if the process stops.
    ///
    /// - Parameters:
    ///   - record: The identifier of the receipt.
    ///   - lease: The unique identifier of the attempt.
    ///   - timestamp: The current time.
    ///   - end: The time at which the lease ends.
    /// - Returns: Whether the claim succeeded: the receipt still waits, and no other process has claimed it.
    func claim(_ record: ReceiptRecord.ID, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> Bool

    /// Records that the store was unavailable. The call has no effect on a receipt that another process has
    /// claimed.
    ///
    /// - Parameters:
    ///   - record: The identifier of the receipt.
    ///   - lease: The lease of the claimed receipt, or nil for a query without a claim.
    ///   - limits: The limits on stored receipts.
    ///   - timestamp: The current time. If the clock is set back before this time, the receipt is due immediately.
    ///   - due: The time of the next store query.
    /// - Returns: False if the number of pending receipts is at the limit (``ReceiptLimits/pending``). A receipt
    ///   that did not wait before is then deleted.
    @discardableResult
    func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at timestamp: Date, until due: Date
    ) async throws -> Bool

    /// Returns a publication's due receipts, the longest overdue first.
    func receiptsDue(in publication: PublicationID, at timestamp: Date, limit: Int) async throws -> [ReceiptRecord]

    /// Records transactions of a receipt that no owner claims, or of a store's result for known purchases.
    func record(_ transactions: [StoreTransaction], at timestamp: Date) async throws

    /// Records a store notification once.
    ///
    /// - Returns: False if the notification was recorded before.
    func take(_ event: StoreEvent, at timestamp: Date) async throws -> Bool

    /// Returns all transactions of the purchases that the owner's person has claimed in these stores.
    func transactions(of owner: PurchaseOwner, in stores: Set<StoreName>) async throws -> [StoreTransaction]

    /// Returns all transactions of one purchase.
    func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction]

    /// Returns the purchases to reverify, among those that were last verified before `lastVerifiedAt` or have ended since.
    /// The purchase that has waited longest comes first.
    ///
    /// A store notification counts as a verification at its own time, see ``StoreTransaction/reported``.
    ///
    /// - Parameters:
    ///   - selection: The purchases to consider.
    ///   - owner: The owner whose person must have claimed the purchase, or nil for all purchases.
    ///   - stores: The stores of the purchases.
    ///   - environments: The environments of the purchases that count for the caller. Callers for which other
    ///     environments count reverify the other purchases.
    ///   - lastVerifiedAt: The time before which the purchase must have been verified last.
    ///   - timestamp: The current time.
    ///   - limit: The maximum number of results.
    func reverifications(
        _ selection: ReverificationSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, verifiedBefore lastVerifiedAt: Date, at timestamp: Date, limit: Int
    ) async throws -> [Reverification]

    /// Returns the purchases that the receipt proved, regardless of its owner, and that no later receipt has
    /// proved.
    func purchases(verifiedBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Reverification]

    /// Returns claimed transactions whose store expects an acknowledgement, the oldest first.
    func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at timestamp: Date, limit: Int
    ) async throws -> [Reverification]

    /// Records that the store returned a result for a purchase.
    func lastVerifiedAt(at original: String, in store: StoreName, timestamp: Date) async throws

    /// Claims a purchase for a reverification or an acknowledgement, so that only one of many processes queries its
    /// store. A visit of the reader still causes a query meanwhile, see
    /// ``reverifications(_:of:in:environments:verifiedBefore:at:limit:)``.
    ///
    /// - Parameters:
    ///   - original: The identifier of the original transaction, which all transactions of the purchase share.
    ///   - store: The name of the store.
    ///   - lease: The unique identifier of the attempt.
    ///   - timestamp: The current time.
    ///   - end: The time at which the lease ends.
    /// - Returns: Whether the claim succeeded: the purchase is not postponed, and no other process has claimed it.
    func claimReverification(
        at original: String, in store: StoreName, lease: [UInt8], from timestamp: Date, until end: Date
    ) async throws -> Bool

    /// Records that the store was unavailable for a purchase. The purchase is neither reverified nor acknowledged
    /// before `due`, unless the store reports a change. The call has no effect on a purchase that another process
    /// has claimed.
    ///
    /// - Parameters:
    ///   - original: The identifier of the original transaction, which all transactions of the purchase share.
    ///   - store: The name of the store.
    ///   - lease: The lease of the claimed purchase, or nil for a query without a claim.
    ///   - timestamp: The current time.
    ///   - due: The earliest time of the next query.
    func postponeReverification(
        at original: String, in store: StoreName, lease: [UInt8]?, from timestamp: Date, until due: Date
    ) async throws

    /// Links an installation or an account with a subscriber, so that both are the same person and share their
    /// claims.
    ///
    /// An owner that was linked with another subscriber leaves that person and takes its own claims along. A
    /// revocation of all sessions of the subscriber in the publication also ends the link.
    ///
    /// - Parameters:
    ///   - owner: The installation or the account.
    ///   - subscriber: The owner that represents the subscriber.
    ///   - reference: The subscriber's pseudonym in revocations.
    ///   - publication: The publication whose token made the link.
    ///   - sealed: The sealed subscriber, so that the linked owner is served from the subscriber system, too.
    ///   - limit: The maximum number of owners linked with a subscriber. One more replaces the owner with the oldest
    ///     link.
    ///   - timestamp: The current time.
    func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberPseudonym,
        in publication: PublicationID, sealed: SealedSubscriber, limit: Int, at timestamp: Date
    ) async throws

    /// Returns the subscriber that the owner is linked with.
    func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber?

    /// Returns the owners that are the same person, the given owner first: a subscriber and all owners linked with
    /// it.
    func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner]

    /// Returns all owners of a purchase: those who claimed it, and those who are the same person.
    func owners(of original: String, in store: StoreName) async throws -> [PurchaseOwner]

    /// Ends a link. The owner retains its own claims. Each end of a link deletes the person's receipts to which no
    /// claim refers, so that their purchases can be claimed again.
    ///
    /// - Returns: False if there was no link.
    func unlink(_ owner: PurchaseOwner) async throws -> Bool

    /// Erases an owner: its receipts, its claims, its links in both directions, and the transactions that no other
    /// owner claims.
    ///
    /// A revoked transaction stays on record without any owner, because an old receipt must not restore it. A
    /// delivery stays on record without the account, so that no receipt is ever delivered twice. Pending deliveries
    /// are never sent.
    ///
    /// - Returns: The number of removed records.
    @discardableResult
    func erase(_ owner: PurchaseOwner) async throws -> Int

    /// Returns the number of a publication's receipts by status, for its operator.
    func receiptCounts(in publication: PublicationID) async throws -> ReceiptCounts
}

extension PurchaseLedger {
    /// Stores a receipt within the default limits.
    public func persist(_ receipt: IncomingReceipt, at timestamp: Date) async throws -> ReceiptRecord {
        try await persist(receipt, within: ReceiptLimits(), at: timestamp)
    }

    /// Postpones a receipt whose store was unavailable and that no process has claimed.
    @discardableResult
    public func postpone(
        _ record: ReceiptRecord.ID, within limits: ReceiptLimits = ReceiptLimits(), at timestamp: Date, until due: Date
    ) async throws -> Bool {
        try await postpone(record, lease: nil, within: limits, at: timestamp, until: due)
    }
}
