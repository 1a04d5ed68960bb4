import Foundation

extension PurchaseDesk {
    private static let mostAtOnce = 20

    /// Asks again about the owner's subscriptions that have ended since anybody looked, so that a reader who comes right
    /// after the renewal is not turned away. Waits no longer than ``PurchaseTimes/patience``, and after a failure not again
    /// before ``PurchaseTimes/shortestRetry``.
    func recheckEnded(of owner: PurchaseOwner) async {
        guard let ended = try? await recheckable(of: owner, ended: true, limit: Self.mostAtOnce), !ended.isEmpty else {
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
        for recheck in ended where !answered.contains(recheck.transaction) { await postponeLook(recheck) }
    }

    /// Subscriptions that ended a while ago and may have been renewed, or that run and may have been taken back.
    func recheckable(of owner: PurchaseOwner?, ended: Bool, limit: Int) async throws -> [Recheck] {
        let now = clock.now
        // Of what has ended it is the reader's visit that asks often; by itself a day's look is enough for those who left.
        let spacing = ended && owner != nil ? times.recheckEnded : times.recheckRunning
        return try await ledger.rechecks(
            of: owner, in: stores,
            ending: ended
                ? Period(start: now.addingTimeInterval(-times.recheckWindow), end: now) : Period(start: now, end: nil),
            lookedBefore: now.addingTimeInterval(-spacing), at: now, limit: limit)
    }

    /// Asks the store about one purchase and keeps its word.
    ///
    /// - Returns: false when it could not be asked, or its word not be kept.
    func look(_ recheck: Recheck) async -> Bool {
        let transaction = recheck.transaction
        guard let verifier = verifier(named: transaction.store) else { return false }
        do {
            let current = try await verifier.current(
                transaction, receipt: recheck.receipt, allowing: environments, at: clock.now)
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
    func postponeLook(_ recheck: Recheck) async {
        let transaction = recheck.transaction
        let next = clock.now.addingTimeInterval(times.shortestRetry)
        do {
            try await ledger.postponeLook(at: transaction.original, in: transaction.store, until: next)
        } catch {
            observe(.ledgerFailed(cause: String(describing: type(of: error))))
        }
    }
}
