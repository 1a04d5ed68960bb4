public import Foundation

extension PurchaseLedger {
    /// Asks a store about what a receipt proved before, when it refuses the receipt now: the purchase may have been refunded
    /// or ended, which a refusal alone does not say.
    ///
    /// - Parameters:
    ///   - allowed: the environments that count for whoever was shown the receipt.
    ///   - found: told what the store took back of one purchase, as soon as that is on record: nobody finds it new again.
    /// - Throws: when the store or the ledger could not be asked. The looks at what was bought find the rest later, then.
    public func review(
        _ receipt: StoreReceipt, by verifier: any ReceiptVerifier, allowing allowed: Set<StoreEnvironment>,
        at moment: Date, found: ([StoreTransaction]) -> Void = { _ in }
    ) async throws {
        let known = try await purchases(provenBy: receipt, in: verifier.store, limit: 20)
        for purchase in known
        where allowed.contains(purchase.transaction.environment) && purchase.transaction.counts(at: moment) {
            let current = try await verifier.current(
                purchase.transaction, receipt: receipt, allowing: allowed, at: moment)
            let words = (current ?? []).filter(\.isWellFormed)
            let takenBack = try await newlyTakenBack(words)
            try await note(words, at: moment)
            found(takenBack)
        }
    }

    /// Those of a store's words that take back what counts as bought, as it stands on record. To be asked before the words
    /// are written down.
    func newlyTakenBack(_ words: [StoreTransaction]) async throws -> [StoreTransaction] {
        var found: [StoreTransaction] = []
        for word in words where word.revoked != nil {
            let known = try await transactions(of: word.original, in: word.store)
            if known.contains(where: { $0.id == word.id && $0.revoked == nil }) { found.append(word) }
        }
        return found
    }
}
