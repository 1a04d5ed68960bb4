public import Foundation
public import Gatefold

/// A ledger of receipts, and the queue of those that their store has not verified. Data is on disk when a call
/// returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol ReceiptLedger: Sendable {
    /// Stores a receipt unchanged, before any other step. The receipt is due one minute later in case the caller
    /// does not complete it. The same receipt of the same owner in the same publication is stored once.
    ///
    /// - Returns: The record of the receipt, with its earlier status if it was already stored.
    /// - Throws: ``ReceiptLimitReached`` for a new receipt beyond the limits.
    func persist(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at timestamp: Date
    ) async throws -> ReceiptRecord

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

    /// Returns the number of a publication's receipts by status, for its operator.
    func receiptCounts(in publication: PublicationID) async throws -> ReceiptCounts
}

extension ReceiptLedger {
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
