public import Foundation

extension PurchaseLedger {
    /// Asks a store about what a receipt proved before, when it refuses the receipt now: the purchase may have been refunded
    /// or ended, which a refusal alone does not say.
    ///
    /// - Parameter allowed: the environments that count for whoever was shown the receipt.
    /// - Throws: when the store or the ledger could not be asked. The looks at what was bought find it later, then.
    public func review(
        _ receipt: StoreReceipt, by verifier: any ReceiptVerifier, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws {
        let known = try await purchases(provenBy: receipt, in: verifier.store, limit: 20)
        for purchase in known
        where allowed.contains(purchase.transaction.environment) && purchase.transaction.counts(at: moment) {
            let current = try await verifier.current(
                purchase.transaction, receipt: receipt, allowing: allowed, at: moment)
            try await note((current ?? []).filter(\.isWellFormed), at: moment)
        }
    }
}
