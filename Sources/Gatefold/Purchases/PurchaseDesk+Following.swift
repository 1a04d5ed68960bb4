import Foundation

extension PurchaseDesk {
    /// Processes due work: receipts whose store was unavailable, purchases to verify again, and purchases that their store
    /// expects to be acknowledged.
    ///
    /// - Parameter limit: the maximum number of each kind to process.
    /// - Returns: the number of receipts and purchases for which a store's response was received and recorded. Failed work is
    ///   postponed and not counted, so that a caller that repeats this while the number is positive stops when nothing succeeds.
    /// - Throws: when the ledger is unavailable or could not record something. Everything that can be processed has been.
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
        for reason in RecheckReason.allCases {
            for recheck in try await recheckable(reason, limit: limit) {
                if Task.isCancelled { return 0 }
                try await round.add { try await followUpLook(recheck) }
            }
        }
        if let failure = round.failure { throw failure }
        return round.done
    }

    /// What one round comes to.
    private struct Round {
        private(set) var done = 0
        /// The first of what could not be kept.
        private(set) var failure: (any Error)?

        /// What was begun is finished, also when the round is to stop: a task of its own is not cancelled with it.
        mutating func add(_ work: @escaping @Sendable () async throws -> FollowUp) async throws {
            switch try await Task(operation: work).value {
            case .done: done += 1
            case .nothing: break
            case .postponed(let error): failure = failure ?? error
            }
        }
    }

    /// What came of one receipt or purchase.
    enum FollowUp: Sendable {
        /// The store's word is on record.
        case done
        /// Another process has it, or the store could not be asked.
        case nothing
        /// It could not be kept, and rests: should it be this one and not the disk, it must not stand in the way of all others.
        case postponed(any Error)
    }

    private func followUp(_ record: ReceiptRecord) async throws -> FollowUp {
        let lease = random.bytes(16)
        let isOurs = try await keep {
            let now = clock.now
            return try await ledger.claim(
                record.id, lease: lease, at: now, until: now.addingTimeInterval(times.lease))
        }
        guard isOurs else { return .nothing }
        guard let verifier = verifier(named: record.incoming.store) else {
            // The publication sells there no longer: it must not stand in the way of those that can be asked about.
            try await wait(record, until: clock.now.addingTimeInterval(times.longestRetry), lease: lease)
            return .nothing
        }
        do {
            let claims = record.incoming.credit == nil ? claims : .exclusive
            switch try await settle(record, by: verifier, claims: claims, lease: lease) {
            case .recorded, .refused: return .done
            case .kept, nil: return .nothing
            }
        } catch {
            try await wait(record, until: nextAttempt(at: record), lease: lease)
            return .postponed(error)
        }
    }

    /// Takes in a message that a store sent.
    ///
    /// - Parameter allowed: the environments of all publications that share the store; nil for this one's own.
    /// - Returns: nil when the publication sells in no store of this name.
    /// - Throws: ``Unavailable`` when it could not be verified or kept: the store is to send it again.
    public func receive(
        notification body: [UInt8], of store: StoreName, allowing allowed: Set<StoreEnvironment>? = nil
    ) async throws -> NotificationReceipt? {
        guard let verifier = verifier(named: store) else { return nil }
        let verdict: NotificationVerdict
        do {
            verdict = try await verifier.notification(body, allowing: allowed ?? environments, at: clock.now)
        } catch {
            throw Unavailable(retryAfter: 30, cause: Self.cause(error))
        }
        switch verdict {
        case .refused(let refusal):
            observe(.notificationRefused(store, refusal))
            return .refused(refusal)
        case .event(let told):
            let event = StoreEvent(
                store: told.store, id: told.id, name: told.name, signed: told.signed,
                transactions: told.transactions.filter(\.isWellFormed))
            let isNew = try await keep { try await ledger.take(event, at: clock.now) }
            observe(.notified(store, name: event.name, isNew: isNew))
            let takenBack = event.transactions.filter { $0.revoked != nil }
            if isNew { tell(takenBack: takenBack) }
            return .taken(isNew: isNew)
        }
    }
}

/// What became of a store's message.
public enum NotificationReceipt: Sendable, Equatable {
    case taken(isNew: Bool)
    case refused(ReceiptRefusal)
}
