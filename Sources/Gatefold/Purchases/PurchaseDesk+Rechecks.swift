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
                    let found = (try? await self.look(recheck)) ?? .failed
                    if found != .failed { answered.insert(recheck.transaction) }
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
            try? await rest(recheck.transaction, until: clock.now.addingTimeInterval(times.shortestRetry))
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

    /// What came of a look.
    enum Look: Sendable {
        /// The store's word is on record.
        case answered
        /// Nobody could be asked.
        case notAsked
        /// The store should have been asked, and could not be.
        case failed
    }

    /// Asks the store about one purchase and keeps its word. Where nobody could be asked it rests as if it had been, but is
    /// due again as soon as there is a new word or receipt of it.
    ///
    /// - Parameter lease: the one that the purchase was taken with; nil where its reader waits.
    /// - Throws: ``Unavailable`` when the ledger could not keep it.
    func look(_ recheck: Recheck, lease: [UInt8]? = nil) async throws -> Look {
        let transaction = recheck.transaction
        guard let verifier = verifier(named: transaction.store) else { return .failed }
        let current: [StoreTransaction]?
        do {
            current = try await verifier.current(
                transaction, receipt: recheck.receipt, allowing: environments, at: clock.now)
        } catch {
            observe(.recheckFailed(transaction.store, cause: Self.cause(error)))
            return .failed
        }
        guard let current else {
            try await rest(transaction, until: clock.now.addingTimeInterval(times.recheckRunning), lease: lease)
            return .notAsked
        }
        do {
            // In a task of its own, which is not cancelled with whoever lost patience: between the two writes that would
            // leave a word on record that nobody finds new again, and what it takes back would never be told.
            try await Task {
                try await keep {
                    let words = current.filter(\.isWellFormed)
                    let takenBack = try await ledger.newlyTakenBack(words)
                    try await ledger.note(words, at: clock.now)
                    tell(takenBack: takenBack)
                    try await ledger.looked(at: transaction.original, in: transaction.store, moment: clock.now)
                }
            }.value
        } catch {
            // Should it be this purchase and not the disk, it must not stand in the way of all others.
            let now = clock.now
            try? await ledger.postponeLook(
                at: transaction.original, in: transaction.store, lease: lease, from: now,
                until: now.addingTimeInterval(times.shortestRetry))
            throw error
        }
        observe(.rechecked(transaction.store))
        return .answered
    }

    /// Looks at a purchase without anybody waiting for it.
    ///
    /// - Throws: ``Unavailable`` when the ledger could not be asked.
    func followUpLook(_ recheck: Recheck) async throws -> FollowUp {
        guard let lease = try await claim(recheck.transaction) else { return .nothing }
        do {
            let found = try await look(recheck, lease: lease)
            if found == .failed {
                try await rest(recheck.transaction, until: nextLook(at: recheck), lease: lease)
            }
            return found == .answered ? .done : .nothing
        } catch {
            return .postponed(error)
        }
    }

    /// Takes a purchase that is due.
    ///
    /// - Returns: the lease; nil where it is not due, or another process has it.
    /// - Throws: ``Unavailable`` when the ledger could not be asked.
    func claim(_ transaction: StoreTransaction) async throws -> [UInt8]? {
        let lease = random.bytes(16)
        let isOurs = try await keep {
            let now = clock.now
            return try await ledger.claimLook(
                at: transaction.original, in: transaction.store, lease: lease, from: now,
                until: now.addingTimeInterval(times.lease))
        }
        return isOurs ? lease : nil
    }

    /// When a purchase is looked at again whose store could not be asked: it rests for as long as it has been due, so that the
    /// time between two looks doubles. What runs rests until its end at the longest, and what is over no longer than its
    /// reader waits between two looks.
    private func nextLook(at recheck: Recheck) -> Date {
        let now = clock.now
        var due = recheck.looked.addingTimeInterval(times.recheckRunning)
        guard let ends = recheck.transaction.ends else {
            return now.addingTimeInterval(times.rest(overdue: now.timeIntervalSince(due), atMost: times.recheckRunning))
        }
        if ends > recheck.looked { due = min(due, ends) }
        let most = ends > now ? min(times.recheckRunning, ends.timeIntervalSince(now)) : times.recheckEnded
        return now.addingTimeInterval(times.rest(overdue: now.timeIntervalSince(due), atMost: most))
    }

    /// A purchase whose store can not be asked must not keep others from being looked at, nor its owner waiting each time.
    ///
    /// - Parameter lease: the one that it was taken with, where it was.
    func rest(_ transaction: StoreTransaction, until next: Date, lease: [UInt8]? = nil) async throws {
        try await keep {
            try await ledger.postponeLook(
                at: transaction.original, in: transaction.store, lease: lease, from: clock.now, until: next)
        }
    }

    /// A receipt that proved something before and is refused now: what it proved may have been taken back.
    func review(_ receipt: StoreReceipt, by verifier: any ReceiptVerifier) async {
        do {
            try await ledger.review(receipt, by: verifier, allowing: environments, at: clock.now) {
                tell(takenBack: $0)
            }
        } catch {
            observe(.recheckFailed(verifier.store, cause: Self.cause(error)))
        }
    }
}
