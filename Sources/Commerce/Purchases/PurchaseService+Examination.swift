import Foundation
import Gatefold
import Primitives

/// The result of a receipt that no owner claims.
public enum Examination: Sendable, Equatable {
    /// - Parameter purchases: All transactions of the purchases in the receipt, including those that only the
    ///   ledger has.
    case genuine(purchases: [StoreTransaction])
    case rejected(ReceiptRejection)
}

extension PurchaseService {
    /// Returns the purchases that a receipt proves, for calls where the receipt is the only credential.
    ///
    /// The transactions are recorded, so that a refund counts whether it was reported before or arrives later.
    ///
    /// Source: Store receipts in the Pugpig style, “Overview”; Basispress protocol, “Receipt request”.
    ///
    /// - Throws: `Unavailable` if the store or the ledger was unavailable.
    public func examine(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil
    ) async throws -> Examination {
        guard let verifier = verifier(of: kind, app: app) else { return .rejected(ReceiptRejection(.noStore)) }
        guard verifier.isPlausible(receipt) else {
            let rejection = ReceiptRejection(.malformed)
            observe(.rejected(verifier.store, rejection))
            return .rejected(rejection)
        }
        let verdict: ReceiptVerdict
        do {
            verdict = try await verifier.verify(receipt, allowing: environments, at: clock.now)
        } catch {
            let cause = Self.cause(error)
            observe(.postponed(verifier.store, cause: cause))
            throw Unavailable(.storeUnavailable, retryAfter: 30, cause: cause)
        }
        switch verdict {
        case .rejected(let rejection):
            observe(.rejected(verifier.store, rejection))
            await review(receipt, by: verifier)
            return .rejected(rejection)
        case .genuine(let verified):
            let transactions = verified.filter(\.isWellFormed)
            guard !transactions.isEmpty else {
                return .rejected(ReceiptRejection(verified.isEmpty ? .empty : .malformed))
            }
            observe(.verified(verifier.store))
            let purchases = try await known(transactions, in: verifier.store)
            // No owner claims the purchase, so no later follow-up would acknowledge it.
            for transaction in purchases where transaction.awaitsAcknowledgement && transaction.revoked == nil {
                _ = try? await acknowledge(transaction, receipt: receipt)
            }
            return .genuine(purchases: purchases)
        }
    }

    private func known(_ transactions: [StoreTransaction], in store: StoreName) async throws -> [StoreTransaction] {
        try await persist {
            try await ledger.record(transactions, at: clock.now)
            var all: [StoreTransaction] = []
            for original in Set(transactions.map(\.original)) {
                all += try await ledger.transactions(of: original, in: store)
            }
            return filteredByEnvironment(all)
        }
    }
}
