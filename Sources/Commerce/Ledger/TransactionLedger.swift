public import Foundation
public import Gatefold

/// A ledger of the transactions that app stores confirmed, and of the claims of their owners. Data is on disk when a
/// call returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol TransactionLedger: Sendable {
    /// Stores the result of a proven receipt in one atomic write: transactions, claims and deliveries, each (store,
    /// transaction) once. The receipt is in the ``ReceiptLedger`` of the same state, and the deliveries go to its
    /// ``DeliveryOutbox``.
    ///
    /// A known transaction is replaced only by a later state, see ``StoreTransaction/reported``. An owner that is
    /// linked with a subscriber (see ``PersonLedger``) is the same person and claims once. If the rule allows no further person to claim
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

    /// Records transactions of a receipt that no owner claims, or of a store's result for known purchases.
    func record(_ transactions: [StoreTransaction], at timestamp: Date) async throws

    /// Returns all transactions of the purchases that the owner's person has claimed in these stores.
    func transactions(of owner: PurchaseOwner, in stores: Set<StoreName>) async throws -> [StoreTransaction]

    /// Returns a transaction by the store's identifier; nil for none.
    func transaction(_ id: String, in store: StoreName) async throws -> StoreTransaction?

    /// Returns all transactions of one purchase.
    func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction]

    /// Returns the purchases that the receipt proved, regardless of its owner, and that no later receipt has
    /// proved.
    func purchases(verifiedBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Reverification]
}
