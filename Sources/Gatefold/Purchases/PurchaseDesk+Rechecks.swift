import Foundation

extension PurchaseDesk {
    private static let mostAtOnce = 20

    /// Asks again about the owner's subscriptions that have ended since anybody looked, so that a reader who comes right
    /// after the renewal is not turned away. Waits no longer than ``PurchaseTimes/patience``.
    func recheckEnded(of owner: PurchaseOwner) async {
        let now = clock.now
        guard
            let due = try? await ledger.rechecks(
                of: owner, in: stores, window: times.recheckWindow,
                lookedBefore: now.addingTimeInterval(-times.recheckEnded), at: now, limit: Self.mostAtOnce)
        else { return }
        let ended = due.filter { ($0.transaction.expires ?? now) <= now }
        guard !ended.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for recheck in ended {
                    if Task.isCancelled { return }
                    await self.look(recheck)
                }
            }
            group.addTask { [times] in try? await Task.sleep(for: .seconds(times.patience)) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    /// Asks the store about one purchase and keeps its word.
    func look(_ recheck: Recheck) async {
        let transaction = recheck.transaction
        guard let verifier = verifier(named: transaction.store) else { return }
        do {
            let current = try await verifier.current(
                transaction, receipt: recheck.receipt, allowing: environments, at: clock.now)
            try await ledger.note(current, at: clock.now)
            try await ledger.looked(at: transaction.original, in: transaction.store, moment: clock.now)
            observe(.rechecked(transaction.store))
        } catch {
            observe(.recheckFailed(transaction.store, cause: Self.cause(error)))
        }
    }
}
