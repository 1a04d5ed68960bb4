import Foundation

/// What a receipt that nobody claims proves.
public enum Examination: Sendable, Equatable {
    /// - Parameter purchases: all transactions of the purchases in the receipt, those the ledger knows besides included.
    case genuine(purchases: [StoreTransaction])
    case refused(ReceiptRefusal)
}

extension PurchaseDesk {
    /// Says what a receipt proves, where the receipt is the only credential (PROTOCOLS 1.6 and 3).
    ///
    /// Its transactions are noted, so that a refund that was told before or comes later counts.
    ///
    /// - Throws: ``Unavailable`` when the store or the ledger could not be asked.
    public func examine(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil
    ) async throws -> Examination {
        guard let verifier = verifier(of: kind, app: app) else { return .refused(ReceiptRefusal(.noStore)) }
        guard verifier.isPlausible(receipt) else {
            let refusal = ReceiptRefusal(.malformed)
            observe(.refused(verifier.store, refusal))
            return .refused(refusal)
        }
        let verdict: ReceiptVerdict
        do {
            verdict = try await verifier.verify(receipt, allowing: environments, at: clock.now)
        } catch {
            let cause = Self.cause(error)
            observe(.postponed(verifier.store, cause: cause))
            throw Unavailable(retryAfter: 30, cause: cause)
        }
        switch verdict {
        case .refused(let refusal):
            observe(.refused(verifier.store, refusal))
            await review(receipt, by: verifier)
            return .refused(refusal)
        case .genuine(let proven):
            let transactions = proven.filter(\.isWellFormed)
            guard !transactions.isEmpty else {
                return .refused(ReceiptRefusal(proven.isEmpty ? .empty : .malformed))
            }
            observe(.proven(verifier.store))
            let purchases = try await known(transactions, in: verifier.store)
            // Nobody claims it, so that nobody follows it either.
            for transaction in purchases where transaction.awaitsAcknowledgement && transaction.revoked == nil {
                await acknowledge(Recheck(transaction: transaction, receipt: receipt))
            }
            return .genuine(purchases: purchases)
        }
    }

    private func known(_ transactions: [StoreTransaction], in store: StoreName) async throws -> [StoreTransaction] {
        try await keep {
            try await ledger.note(transactions, at: clock.now)
            var all: [StoreTransaction] = []
            for original in Set(transactions.map(\.original)) {
                all += try await ledger.transactions(of: original, in: store)
            }
            return counting(all)
        }
    }
}
