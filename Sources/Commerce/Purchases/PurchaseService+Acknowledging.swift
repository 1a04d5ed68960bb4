import Foundation
import Primitives

extension PurchaseService {
    /// Acknowledges a recorded purchase to its store. If the store does not accept the acknowledgement, the ledger
    /// retains it as open. The purchase remains verified.
    ///
    /// - Returns: Whether the store accepted the acknowledgement.
    /// - Throws: `Unavailable` if the ledger could not record the acknowledgement.
    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws -> Bool {
        guard let verifier = verifier(named: transaction.store) else { return false }
        do {
            try await verifier.acknowledge(transaction, receipt: receipt)
        } catch {
            observe(.notAcknowledged(transaction.store, cause: Self.cause(error)))
            return false
        }
        try await persist { try await ledger.record([transaction.acknowledged], at: clock.now) }
        observe(.acknowledged(transaction.store))
        return true
    }

    /// Sends an open acknowledgement to the store. If the store does not accept it, the purchase is reverified
    /// before it is postponed, because it may have been refunded, or acknowledged by the app. A postponed purchase
    /// is not reverified.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable.
    func followUpAcknowledgement(of purchase: Reverification) async throws -> FollowUpOutcome {
        guard let lease = try await claim(purchase.transaction) else { return .nothing }
        do {
            return try await acknowledgeOrReverify(purchase, lease) ? .done : .nothing
        } catch {
            try await rest(
                purchase.transaction, until: clock.now.addingTimeInterval(times.minRetryDelay), lease: lease)
            return .postponed(error)
        }
    }

    /// Acknowledges a purchase, or reverifies it if the acknowledgement fails.
    ///
    /// - Returns: Whether one of the two succeeded and the ledger recorded it.
    private func acknowledgeOrReverify(_ purchase: Reverification, _ lease: [UInt8]) async throws -> Bool {
        let transaction = purchase.transaction
        if try await acknowledge(transaction, receipt: purchase.receipt) {
            try await rest(transaction, until: clock.now, lease: lease)
            return true
        }
        let all = try await persist { try await ledger.transactions(of: transaction.original, in: transaction.store) }
        let last = Reverification(
            transaction: StoreTransaction.last(of: all) ?? transaction, receipt: purchase.receipt,
            lastVerifiedAt: purchase.lastVerifiedAt)
        let found = try await reverify(last, lease: lease)
        // The record of the reverification ends the lease.
        try await rest(
            transaction, until: clock.now.addingTimeInterval(times.reverifyEnded), lease: found == .failed ? lease : nil
        )
        return found == .responded
    }
}
