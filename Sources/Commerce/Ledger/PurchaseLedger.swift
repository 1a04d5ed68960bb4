public import Gatefold

/// The parts of a state that a ``PurchaseService`` needs. They belong to one state, because one call may change several
/// of them in one atomic write.
public protocol PurchaseLedger: ReceiptLedger, TransactionLedger, StoreEventLog, ReverificationQueue, PersonLedger,
    PurchaseErasing
{
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
}
