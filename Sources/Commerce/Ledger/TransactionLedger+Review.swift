public import Foundation

extension TransactionLedger {
    /// Queries a store about the purchases that a receipt proved before, after the store rejected the receipt. The
    /// purchases may have been refunded or may have ended, which the rejection does not reveal.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - verifier: The verifier of the store.
    ///   - allowed: The environments that count for the caller.
    ///   - timestamp: The current time.
    ///   - found: A closure that receives the revoked transactions of one purchase immediately after they are recorded,
    ///     because no later call finds them to be new.
    /// - Throws: An error if the store or the ledger was unavailable. Later reverifications then find the rest.
    public func review(
        _ receipt: StoreReceipt, by verifier: any ReceiptVerifier, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date, found: ([StoreTransaction]) -> Void = { _ in }
    ) async throws {
        let known = try await purchases(verifiedBy: receipt, in: verifier.store, limit: 20)
        for purchase in known
        where allowed.contains(purchase.transaction.environment) && purchase.transaction.counts(at: timestamp) {
            let current = try await verifier.current(
                purchase.transaction, receipt: receipt, allowing: allowed, at: timestamp)
            let wellFormed = (current ?? []).filter(\.isWellFormed)
            let refunded = try await newlyRefunded(wellFormed)
            try await record(wellFormed, at: timestamp)
            found(refunded)
        }
    }

    /// Returns the transactions that revoke a purchase which is not revoked on record. Call it before the
    /// transactions are recorded.
    func newlyRefunded(_ wellFormed: [StoreTransaction]) async throws -> [StoreTransaction] {
        var found: [StoreTransaction] = []
        for transaction in wellFormed where transaction.revoked != nil {
            let known = try await transactions(of: transaction.original, in: transaction.store)
            if known.contains(where: { $0.id == transaction.id && $0.revoked == nil }) { found.append(transaction) }
        }
        return found
    }
}
