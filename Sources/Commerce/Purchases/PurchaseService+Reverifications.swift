import Foundation
import Gatefold
import Primitives

extension PurchaseService {
    private static let maxBatchSize = 20

    /// Reverifies the owner's subscriptions that have ended since their last verification, so that a reader who
    /// arrives right after the renewal is not denied. Waits at most ``ReverificationSchedule/reverifyTimeout``. After a failure,
    /// the next attempt is not before ``ReverificationSchedule/minRetryDelay``.
    ///
    /// - Returns: Whether a subscription was due, so that the ledger may have other purchases now.
    func reverifyEnded(of owner: PurchaseOwner) async -> Bool {
        guard let ended = try? await dueForReverification(.ended, of: owner, limit: Self.maxBatchSize), !ended.isEmpty
        else {
            return false
        }
        let responded = await withTaskGroup(of: Set<StoreTransaction>.self) { group in
            group.addTask {
                var responded: Set<StoreTransaction> = []
                for reverification in ended {
                    if Task.isCancelled { break }
                    let found = (try? await self.reverify(reverification)) ?? .failed
                    if found != .failed { responded.insert(reverification.transaction) }
                }
                return responded
            }
            group.addTask { [times] in
                try? await Task.sleep(for: .seconds(times.reverifyTimeout))
                return []
            }
            var all = await group.next() ?? []
            group.cancelAll()
            for await more in group { all.formUnion(more) }
            return all
        }
        for reverification in ended where !responded.contains(reverification.transaction) {
            try? await rest(reverification.transaction, until: clock.now.addingTimeInterval(times.minRetryDelay))
        }
        return true
    }

    /// The reason for a reverification.
    enum ReverificationReason: CaseIterable {
        /// A subscription that ended recently may have been renewed.
        case ended
        /// A running subscription may have been revoked.
        case running
        /// A single purchase may have been refunded.
        case refundable
    }

    func dueForReverification(_ reason: ReverificationReason, of owner: PurchaseOwner? = nil, limit: Int) async throws
        -> [Reverification]
    {
        let now = clock.now
        let selection: ReverificationSelection =
            switch reason {
            case .ended: .ending(Period(start: now.addingTimeInterval(-times.reverificationWindow), end: now))
            case .running: .ending(Period(start: now, end: nil))
            case .refundable: .bought(since: now.addingTimeInterval(-times.refundWindow))
            }
        // A visit of the reader justifies frequent queries. Without a visit, one query per day is enough, also for
        // readers who left.
        let spacing = owner == nil ? times.reverifyRunning : times.reverifyEnded
        return try await ledger.reverifications(
            selection, of: owner, in: stores, environments: environments,
            verifiedBefore: now.addingTimeInterval(-spacing), at: now, limit: limit)
    }

    /// The result of a reverification.
    enum ReverificationOutcome: Sendable {
        /// The store's result is recorded.
        case responded
        /// No store query is possible for this purchase.
        case notQueried
        /// The store query failed.
        case failed
    }

    /// Queries the store about one purchase and records the result. A purchase without a possible query is
    /// postponed as if it had been verified. It is due again as soon as a new message or receipt for it arrives.
    ///
    /// - Parameter lease: The lease of the claimed purchase, or nil if its reader waits.
    /// - Throws: `Unavailable` if the ledger could not record the result.
    func reverify(_ reverification: Reverification, lease: [UInt8]? = nil) async throws -> ReverificationOutcome {
        let transaction = reverification.transaction
        guard let verifier = verifier(named: transaction.store) else { return .failed }
        let current: [StoreTransaction]?
        do {
            current = try await verifier.current(
                transaction, receipt: reverification.receipt, allowing: environments, at: clock.now)
        } catch {
            observe(.reverificationFailed(transaction.store, cause: Self.cause(error)))
            return .failed
        }
        guard let current else {
            try await rest(transaction, until: clock.now.addingTimeInterval(times.reverifyRunning), lease: lease)
            return .notQueried
        }
        do {
            // This runs in a task of its own, so that a time limit of the caller does not cancel it. A cancellation
            // between the two writes would leave a recorded result that no later call finds to be new, and its
            // revocations would never be reported.
            try await Task {
                try await persist {
                    let wellFormed = current.filter(\.isWellFormed)
                    let refunded = try await ledger.newlyRefunded(wellFormed)
                    try await ledger.record(wellFormed, at: clock.now)
                    notify(refunded: refunded)
                    try await ledger.lastVerifiedAt(
                        at: transaction.original, in: transaction.store, timestamp: clock.now)
                }
            }.value
        } catch {
            // If the cause is this purchase and not the disk, the purchase must not block all others.
            let now = clock.now
            try? await ledger.postponeReverification(
                at: transaction.original, in: transaction.store, lease: lease, from: now,
                until: now.addingTimeInterval(times.minRetryDelay))
            throw error
        }
        observe(.reverified(transaction.store))
        return .responded
    }

    /// Reverifies a purchase in the background, while no reader waits.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable.
    func followUpReverification(_ reverification: Reverification) async throws -> FollowUpOutcome {
        guard let lease = try await claim(reverification.transaction) else { return .nothing }
        do {
            let found = try await reverify(reverification, lease: lease)
            if found == .failed {
                try await rest(reverification.transaction, until: nextReverification(at: reverification), lease: lease)
            }
            return found == .responded ? .done : .nothing
        } catch {
            return .postponed(error)
        }
    }

    /// Claims a purchase that is due.
    ///
    /// - Returns: The lease, or nil if the purchase is not due or another process holds it.
    /// - Throws: `Unavailable` if the ledger was unavailable.
    func claim(_ transaction: StoreTransaction) async throws -> [UInt8]? {
        let lease = random.bytes(16)
        let isOurs = try await persist {
            let now = clock.now
            return try await ledger.claimReverification(
                at: transaction.original, in: transaction.store, lease: lease, from: now,
                until: now.addingTimeInterval(times.lease))
        }
        return isOurs ? lease : nil
    }

    /// Returns the time of the next reverification after the store was unavailable. The delay equals the time for
    /// which the purchase has been overdue, so that the interval doubles each time. The delay of a running
    /// subscription ends no later than the subscription. The delay of an ended subscription is at most the interval
    /// for a waiting reader.
    private func nextReverification(at reverification: Reverification) -> Date {
        let now = clock.now
        var due = reverification.lastVerifiedAt.addingTimeInterval(times.reverifyRunning)
        guard let ends = reverification.transaction.ends else {
            return now.addingTimeInterval(
                times.rest(overdue: now.timeIntervalSince(due), atMost: times.reverifyRunning))
        }
        if ends > reverification.lastVerifiedAt { due = min(due, ends) }
        let limit = ends > now ? min(times.reverifyRunning, ends.timeIntervalSince(now)) : times.reverifyEnded
        return now.addingTimeInterval(times.rest(overdue: now.timeIntervalSince(due), atMost: limit))
    }

    /// Postpones a purchase whose store is unavailable, so that it neither blocks other purchases nor delays its
    /// owner each time.
    ///
    /// - Parameter lease: The lease of the claimed purchase, if there is one.
    func rest(_ transaction: StoreTransaction, until next: Date, lease: [UInt8]? = nil) async throws {
        try await persist {
            try await ledger.postponeReverification(
                at: transaction.original, in: transaction.store, lease: lease, from: clock.now, until: next)
        }
    }

    /// Reviews a receipt that proved something before and is rejected now, because its purchases may have been
    /// revoked.
    func review(_ receipt: StoreReceipt, by verifier: any ReceiptVerifier) async {
        do {
            try await ledger.review(receipt, by: verifier, allowing: environments, at: clock.now) {
                notify(refunded: $0)
            }
        } catch {
            observe(.reverificationFailed(verifier.store, cause: Self.cause(error)))
        }
    }
}
