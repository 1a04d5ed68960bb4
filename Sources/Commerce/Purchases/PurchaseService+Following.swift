import Foundation
import Gatefold
import Primitives

extension PurchaseService {
    /// Processes due work: receipts whose store was unavailable, purchases to verify again, and purchases that
    /// their store expects to be acknowledged.
    ///
    /// - Parameter limit: The maximum number of each kind to process.
    /// - Returns: The number of receipts and purchases for which a store's response was received and recorded.
    ///   Failed work is postponed and not counted, so that a caller that repeats this while the number is positive
    ///   stops when nothing succeeds.
    /// - Throws: An error if the ledger is unavailable or could not record something. All other due work has then
    ///   been processed.
    public func followUp(limit: Int = 100) async throws -> Int {
        let now = clock.now
        var round = Round()
        for record in try await ledger.receiptsDue(in: publication, at: now, limit: limit) {
            if Task.isCancelled { return 0 }
            try await round.add { try await followUp(record) }
        }
        let unacknowledged = try await ledger.unacknowledged(
            in: stores, environments: environments, at: now, limit: limit)
        for purchase in unacknowledged {
            if Task.isCancelled { return 0 }
            try await round.add { try await followUpAcknowledgement(of: purchase) }
        }
        for reason in ReverificationReason.allCases {
            for reverification in try await dueForReverification(reason, limit: limit) {
                if Task.isCancelled { return 0 }
                try await round.add { try await followUpReverification(reverification) }
            }
        }
        if let failure = round.failure { throw failure }
        return round.done
    }

    /// The result of one round.
    private struct Round {
        private(set) var done = 0
        /// The first error of the ledger.
        private(set) var failure: (any Error)?

        /// Runs one piece of work. Work that has begun is finished even if the round is cancelled, because it runs
        /// in a task of its own.
        mutating func add(_ work: @escaping @Sendable () async throws -> FollowUpOutcome) async throws {
            switch try await Task(operation: { try await work() }).value {
            case .done: done += 1
            case .nothing: break
            case .postponed(let error): failure = failure ?? error
            }
        }
    }

    /// The result of the work on one receipt or purchase.
    enum FollowUpOutcome: Sendable {
        /// The store's result is recorded.
        case done
        /// Another process holds the item, or the store was unavailable.
        case nothing
        /// The result could not be recorded, and the item is postponed. If the cause is the item and not the disk,
        /// the item must not block all others.
        case postponed(any Error)
    }

    private func followUp(_ record: ReceiptRecord) async throws -> FollowUpOutcome {
        let lease = random.bytes(16)
        let isOurs = try await persist {
            let now = clock.now
            return try await ledger.claim(
                record.id, lease: lease, at: now, until: now.addingTimeInterval(times.lease))
        }
        guard isOurs else { return .nothing }
        guard let verifier = verifier(named: record.incoming.store) else {
            // The publication no longer sells in this store. The receipt must not block those whose store can be
            // queried.
            try await wait(record, until: clock.now.addingTimeInterval(times.maxRetryDelay), lease: lease)
            return .nothing
        }
        do {
            let claims = record.incoming.credit == nil ? claims : .exclusive
            switch try await settle(record, by: verifier, claims: claims, lease: lease) {
            case .recorded, .rejected: return .done
            case .pending, nil: return .nothing
            }
        } catch {
            try await wait(record, until: nextAttempt(at: record), lease: lease)
            return .postponed(error)
        }
    }

    /// Processes a store notification.
    ///
    /// - Parameters:
    ///   - body: The unchanged body of the HTTP request.
    ///   - store: The name of the store.
    ///   - allowed: The environments of all publications that share the store, or nil for this publication's own.
    /// - Returns: Nil if the publication does not sell in this store.
    /// - Throws: `Unavailable` if the notification could not be verified or stored. The store should send it
    ///   again.
    public func receive(
        notification body: [UInt8], of store: StoreName, allowing allowed: Set<StoreEnvironment>? = nil
    ) async throws -> NotificationReceipt? {
        guard let verifier = verifier(named: store) else { return nil }
        let verdict: NotificationVerdict
        do {
            verdict = try await verifier.notification(body, allowing: allowed ?? environments, at: clock.now)
        } catch {
            throw Unavailable(.storeUnavailable, retryAfter: 30, cause: Self.cause(error))
        }
        switch verdict {
        case .rejected(let rejection):
            observe(.notificationRejected(store, rejection))
            return .rejected(rejection)
        case .event(let reported):
            let event = StoreEvent(
                store: reported.store, id: reported.id, name: reported.name, signed: reported.signed,
                transactions: reported.transactions.filter(\.isWellFormed))
            let isNew = try await persist { try await ledger.take(event, at: clock.now) }
            observe(.notified(store, name: event.name, isNew: isNew))
            let refunded = event.transactions.filter { $0.revoked != nil }
            if isNew { notify(refunded: refunded) }
            return .taken(isNew: isNew)
        }
    }
}

/// The result of a store notification.
public enum NotificationReceipt: Sendable, Equatable {
    case taken(isNew: Bool)
    case rejected(ReceiptRejection)
}
