import Foundation

extension PurchaseDesk {
    /// Tells a store that a purchase on record is its buyer's. Where it does not take that in, the ledger keeps that it is
    /// still to be told: a verified purchase is not less so.
    ///
    /// - Returns: whether the store took it in.
    /// - Throws: ``Unavailable`` when the ledger could not keep that it did.
    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws -> Bool {
        guard let verifier = verifier(named: transaction.store) else { return false }
        do {
            try await verifier.acknowledge(transaction, receipt: receipt)
        } catch {
            observe(.notAcknowledged(transaction.store, cause: Self.cause(error)))
            return false
        }
        try await keep { try await ledger.note([transaction.acknowledged], at: clock.now) }
        observe(.acknowledged(transaction.store))
        return true
    }

    /// Tells a store what it still waits for. Where it does not take that in, the purchase is looked at before it rests: it may
    /// have been refunded, or acknowledged by the app, and while it rests nobody looks at it.
    ///
    /// - Throws: ``Unavailable`` when the ledger could not be asked.
    func followUpAcknowledgement(of purchase: Recheck) async throws -> FollowUp {
        guard let lease = try await claim(purchase.transaction) else { return .nothing }
        do {
            return try await acknowledgeOrLook(purchase, lease) ? .done : .nothing
        } catch {
            try await rest(
                purchase.transaction, until: clock.now.addingTimeInterval(times.shortestRetry), lease: lease)
            return .postponed(error)
        }
    }

    /// - Returns: whether the store was told, or else looked up, and the ledger kept it.
    private func acknowledgeOrLook(_ purchase: Recheck, _ lease: [UInt8]) async throws -> Bool {
        let transaction = purchase.transaction
        if try await acknowledge(transaction, receipt: purchase.receipt) {
            try await rest(transaction, until: clock.now, lease: lease)
            return true
        }
        let all = try await keep { try await ledger.transactions(of: transaction.original, in: transaction.store) }
        let last = Recheck(
            transaction: StoreTransaction.last(of: all) ?? transaction, receipt: purchase.receipt,
            looked: purchase.looked)
        let found = try await look(last, lease: lease)
        // What the look has noted ends the lease.
        try await rest(
            transaction, until: clock.now.addingTimeInterval(times.recheckEnded), lease: found == .failed ? lease : nil)
        return found == .answered
    }
}
