import Foundation
public import Gatefold
import Primitives

/// The result of a receipt confirmation.
public enum Confirmation: Sendable, Equatable {
    /// The receipt is genuine, and its transactions are recorded.
    ///
    /// - Parameter transactions: The transactions that the receipt has just proved. Empty if it was proven before.
    case recorded([StoreTransaction])
    /// The receipt is stored, and its store will be queried later.
    case pending
    case rejected(ReceiptRejection)
}

extension PurchaseService {
    /// Accepts a receipt: stores it, then queries its store, then records the transactions that it proves.
    ///
    /// When this method returns, the result is on disk. Sending the same receipt again changes nothing.
    ///
    /// Source: Baker protocol, “Purchase confirmation”.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - kind: The kind of store, as given by the front door or by the format of the receipt.
    ///   - app: The app's bundle identifier or package name, if the front door receives it.
    ///   - owner: The owner of the purchases.
    ///   - credit: The account to credit, if something is to be delivered. Only purchases of the receipt's
    ///     ``StoreReceipt/Part/product`` are credited. If the receipt names a product and `credit` is nil, all
    ///     transactions of the receipt are recorded, or none if the product is not among them.
    ///   - claims: The rule for the number of persons that may claim the purchase, or nil for the publication's own
    ///     rule.
    /// - Throws: `Unavailable` if the ledger could not store the receipt, or the number of receipts is at the
    ///   limit (``ReceiptLimits``).
    public func confirm(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil, owner: PurchaseOwner,
        credit: Credit? = nil, claims: ClaimRule? = nil
    ) async throws -> Confirmation {
        guard let verifier = verifier(of: kind, app: app) else { return .rejected(ReceiptRejection(.noStore)) }
        guard verifier.isPlausible(receipt) else {
            let rejection = ReceiptRejection(.malformed)
            observe(.rejected(verifier.store, rejection))
            didChange(.rejected(to: owner, product: receipt[.product], rejection))
            return .rejected(rejection)
        }
        let incoming = IncomingReceipt(
            publication: publication, store: verifier.store, owner: owner, receipt: receipt, credit: credit)
        let record = try await persist(incoming)
        if case .verified(let verified) = record.status,
            clock.now.timeIntervalSince(verified) < times.reverifyEnded
        {
            return .recorded([])
        }
        guard let outcome = try await settle(record, by: verifier, claims: claims ?? self.claims) else {
            throw Unavailable(
                .storeUnavailable, retryAfter: 600, cause: "the store is unavailable, and the receipt cannot be queued")
        }
        return outcome
    }

    private func persist(_ incoming: IncomingReceipt) async throws -> ReceiptRecord {
        let pending: Result<ReceiptRecord, ReceiptLimitReached> = try await persist {
            do {
                return .success(try await ledger.persist(incoming, within: limits, at: clock.now))
            } catch let reached as ReceiptLimitReached {
                return .failure(reached)
            }
        }
        switch pending {
        case .success(let record): return record
        case .failure(let reached):
            observe(.limited(incoming.store, reached))
            throw Unavailable(.overloaded, retryAfter: reached.retryAfter, cause: reached.cause)
        }
    }

    /// Queries the store about a recorded receipt, and records the result.
    ///
    /// - Parameter lease: The lease of the claimed receipt, or nil if the receipt has just been sent.
    /// - Returns: Nil if the store was unavailable and the receipt may not wait. The receipt is then deleted.
    func settle(
        _ record: ReceiptRecord, by verifier: any ReceiptVerifier, claims: ClaimRule, lease: [UInt8]? = nil
    ) async throws -> Confirmation? {
        let verdict: ReceiptVerdict
        do {
            verdict = try await verifier.verify(record.incoming.receipt, allowing: environments, at: clock.now)
        } catch {
            return try await postpone(record, error, lease)
        }
        switch verdict {
        case .rejected(let rejection):
            await review(record.incoming.receipt, by: verifier)
            return try await reject(record, rejection)
        case .genuine(let verified):
            let transactions = verified.filter(\.isWellFormed)
            guard !transactions.isEmpty else {
                return try await reject(record, ReceiptRejection(verified.isEmpty ? .empty : .malformed))
            }
            let refunded = transactions.filter { $0.revoked != nil }
            if let reason = refunded.count == transactions.count ? .revoked : unverifiedReason(transactions, record) {
                // The store's result is recorded even if the receipt is rejected for its product, because it ends
                // pending deliveries.
                let newlyRefunded = try await persist {
                    let newlyRefunded = try await ledger.newlyRefunded(refunded)
                    try await ledger.record(refunded, at: clock.now)
                    return newlyRefunded
                }
                notify(refunded: newlyRefunded)
                return try await reject(record, ReceiptRejection(reason))
            }
            let (settlement, newlyRefunded) = try await persist {
                let newlyRefunded = try await ledger.newlyRefunded(refunded)
                let settlement = try await ledger.settle(
                    record, proving: transactions, claims: claims, delivering: credited(transactions, record),
                    at: clock.now)
                return (settlement, newlyRefunded)
            }
            notify(refunded: newlyRefunded)
            guard settlement == .settled else {
                let rejection = ReceiptRejection(.claimedByAnother)
                observe(.rejected(verifier.store, rejection))
                notify(record, rejection)
                return .rejected(rejection)
            }
            observe(.verified(verifier.store))
            if let owner = record.incoming.owner { notify(transactions, verifiedBy: owner) }
            return .recorded(transactions)
        }
    }

    /// Returns the deliveries of a receipt: the purchases of the product that the app named, without revoked ones.
    private func credited(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [Delivery] {
        guard let credit = record.incoming.credit else { return [] }
        return named(transactions, record).filter { $0.revoked == nil }
            .map { Delivery($0, to: credit, in: publication) }
    }

    /// Returns the reason why a receipt does not prove the product that it names. Returns nil if it proves the
    /// product, or names none.
    private func unverifiedReason(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> ReceiptRejection
        .Reason?
    {
        guard record.incoming.credit != nil || record.incoming.receipt[.product] != nil else { return nil }
        let named = named(transactions, record)
        guard named.allSatisfy({ $0.revoked != nil }) else { return nil }
        return named.isEmpty ? .wrongProduct : .revoked
    }

    /// Returns the transactions of the product that the receipt names. A delivery requires the exact product.
    /// Otherwise an app may send the first two numbers of a product identifier, `ITEM_FEE`, because further parts
    /// after the next underscore have no meaning.
    ///
    /// Source: InPlayer protocol, “Product identifiers on iOS”.
    private func named(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [StoreTransaction] {
        guard let product = record.incoming.receipt[.product] else { return [] }
        let isExact = record.incoming.credit != nil
        return filteredByEnvironment(transactions).filter {
            $0.product == product || !isExact && Self.isNumbered(product) && $0.product.hasPrefix("\(product)_")
        }
    }

    private static func isNumbered(_ product: String) -> Bool {
        product.wholeMatch(of: /[1-9][0-9]{0,9}_[1-9][0-9]{0,9}/) != nil
    }

    private func reject(_ record: ReceiptRecord, _ rejection: ReceiptRejection) async throws -> Confirmation {
        observe(.rejected(record.incoming.store, rejection))
        try await persist { try await ledger.reject(record, rejection, at: clock.now) }
        notify(record, rejection)
        return .rejected(rejection)
    }

    /// Postpones a pending receipt. A receipt that was rejected or proven before retains that status until its
    /// store reports otherwise.
    ///
    /// Source: Pitfall 9, “Outage and rejection confused”.
    private func postpone(
        _ record: ReceiptRecord, _ error: any Error, _ lease: [UInt8]?
    ) async throws -> Confirmation? {
        observe(.postponed(record.incoming.store, cause: Self.cause(error)))
        switch record.status {
        case .rejected(let rejection, _): return .rejected(rejection)
        case .verified: return .recorded([])
        case .pending: return try await wait(record, until: nextAttempt(at: record), lease: lease) ? .pending : nil
        }
    }

    /// Returns the time of the next store query after the store was unavailable.
    func nextAttempt(at record: ReceiptRecord) -> Date {
        guard case .pending(let attempts) = record.status else { return clock.now }
        return clock.now.addingTimeInterval(times.retry(after: attempts))
    }

    /// Postpones a receipt, unless it has been pending too long or too many receipts are pending.
    ///
    /// - Returns: False if the receipt was deleted.
    @discardableResult
    func wait(_ record: ReceiptRecord, until next: Date, lease: [UInt8]?) async throws -> Bool {
        let store = record.incoming.store
        let now = clock.now
        // Both clocks are checked, because this node's clock may be ahead, or may have been behind when the receipt
        // arrived.
        if now.timeIntervalSince(record.received) >= times.maxPendingTime,
            try await persist({ try await ledger.abandon(record.id, pendingFor: times.maxPendingTime) })
        {
            observe(.abandoned(store))
            return false
        }
        let waits = try await persist {
            try await ledger.postpone(record.id, lease: lease, within: limits, at: now, until: next)
        }
        if !waits { observe(.limited(store, .pending)) }
        return waits
    }

    private func notify(_ record: ReceiptRecord, _ rejection: ReceiptRejection) {
        guard let owner = record.incoming.owner else { return }
        didChange(.rejected(to: owner, product: record.incoming.receipt[.product], rejection))
    }

    /// Reports the transactions that count here and are not revoked, if there are any.
    private func notify(_ transactions: [StoreTransaction], verifiedBy owner: PurchaseOwner) {
        let bought = filteredByEnvironment(transactions).filter { $0.revoked == nil }
        if !bought.isEmpty { didChange(.verified(by: owner, bought)) }
    }

    func notify(refunded: [StoreTransaction]) {
        if !refunded.isEmpty { didChange(.refunded(refunded)) }
    }
}
