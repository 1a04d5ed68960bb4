public import Foundation
public import Gatefold

/// The queue of purchases about which their app store is queried again, or which it expects to be acknowledged. Data
/// is on disk when a call returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol ReverificationQueue: Sendable {
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
}
