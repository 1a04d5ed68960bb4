import Foundation

extension PurchaseDesk {
    private static let mostAtOnce = 20

    /// Asks again about the owner's subscriptions that have ended since anybody looked, so that a reader who comes right
    /// after the renewal is not turned away. Waits no longer than ``PurchaseTimes/patience``, and after a failure not again
    /// before ``PurchaseTimes/shortestRetry``.
    func recheckEnded(of owner: PurchaseOwner) async {
        guard let ended = try? await recheckable(.ended, of: owner, limit: Self.mostAtOnce), !ended.isEmpty else {
            return
        }
        let answered = await withTaskGroup(of: Set<StoreTransaction>.self) { group in
            group.addTask {
                var answered: Set<StoreTransaction> = []
                for recheck in ended {
                    if Task.isCancelled { break }
                    if await self.look(recheck) { answered.insert(recheck.transaction) }
                }
                return answered
            }
            group.addTask { [times] in
                try? await Task.sleep(for: .seconds(times.patience))
                return []
            }
            var all = await group.next() ?? []
            group.cancelAll()
            for await more in group { all.formUnion(more) }
            return all
        }
        for recheck in ended where !answered.contains(recheck.transaction) {
            await rest(recheck, for: times.shortestRetry)
        }
    }

    /// Why a purchase is looked at again.
    enum RecheckReason: CaseIterable {
        /// A subscription that ended a while ago may have been renewed.
        case ended
        /// One that runs may have been taken back.
        case running
        /// A single purchase may have been refunded.
        case refundable
    }

    func recheckable(_ reason: RecheckReason, of owner: PurchaseOwner? = nil, limit: Int) async throws -> [Recheck] {
        let now = clock.now
        let selection: RecheckSelection =
            switch reason {
            case .ended: .ending(Period(start: now.addingTimeInterval(-times.recheckWindow), end: now))
            case .running: .ending(Period(start: now, end: nil))
            case .refundable: .bought(since: now.addingTimeInterval(-times.refundWindow))
            }
        // It is the reader's visit that asks often; without one a day's look is enough, for those who left, too.
        let spacing = owner == nil ? times.recheckRunning : times.recheckEnded
        return try await ledger.rechecks(
            selection, of: owner, in: stores, environments: environments,
            lookedBefore: now.addingTimeInterval(-spacing), at: now, limit: limit)
    }

    /// Asks the store about one purchase and keeps its word. Where nobody could be asked it rests as if it had been, but is
    /// due again as soon as there is a new word or receipt of it.
    ///
    /// - Returns: false when it could not be asked, or its word not be kept.
    func look(_ recheck: Recheck) async -> Bool {
        let transaction = recheck.transaction
        guard let verifier = verifier(named: transaction.store) else { return false }
        do {
            let current = try await verifier.current(
                transaction, receipt: recheck.receipt, allowing: environments, at: clock.now)
            guard let current else {
                await rest(recheck, for: times.recheckRunning)
                return true
            }
            try await ledger.note(current.filter(\.isWellFormed), at: clock.now)
            try await ledger.looked(at: transaction.original, in: transaction.store, moment: clock.now)
            observe(.rechecked(transaction.store))
            return true
        } catch {
            observe(.recheckFailed(transaction.store, cause: Self.cause(error)))
            return false
        }
    }

    /// A purchase whose store can not be asked must not keep others from being looked at, nor its owner waiting each time.
    func rest(_ recheck: Recheck, for seconds: TimeInterval) async {
        let transaction = recheck.transaction
        let next = clock.now.addingTimeInterval(seconds)
        do {
            try await ledger.postponeLook(at: transaction.original, in: transaction.store, until: next)
        } catch {
            observe(.ledgerFailed(cause: String(describing: type(of: error))))
        }
    }

    /// A receipt that proved something before and is refused now: what it proved may have been taken back.
    func review(_ receipt: StoreReceipt, by verifier: any ReceiptVerifier) async {
        do {
            try await ledger.review(receipt, by: verifier, allowing: environments, at: clock.now)
        } catch {
            observe(.recheckFailed(verifier.store, cause: Self.cause(error)))
        }
    }
}
