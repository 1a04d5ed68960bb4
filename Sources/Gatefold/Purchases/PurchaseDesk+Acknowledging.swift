import Foundation

extension PurchaseDesk {
    /// Tells a store that a purchase on record is its buyer's. Where it does not take that in, the ledger keeps that it is
    /// still to be told: a verified purchase is not less so.
    func acknowledge(_ purchase: Recheck) async {
        let transaction = purchase.transaction
        guard let verifier = verifier(named: transaction.store) else { return }
        do {
            try await verifier.acknowledge(transaction, receipt: purchase.receipt)
            try await ledger.note([transaction.acknowledged], at: clock.now)
            observe(.acknowledged(transaction.store))
        } catch {
            observe(.notAcknowledged(transaction.store, cause: Self.cause(error)))
            await rest(purchase, for: times.recheckEnded)
        }
    }
}
