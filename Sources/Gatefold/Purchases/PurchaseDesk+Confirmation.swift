import Foundation

/// What became of a receipt that was handed in.
public enum Confirmation: Sendable, Equatable {
    /// It is genuine, and what it proves is on record.
    ///
    /// - Parameter transactions: those it proved just now; none when it was proven before.
    case recorded([StoreTransaction])
    /// It is on record, and its store will be asked when it can be.
    case kept
    case refused(ReceiptRefusal)
}

extension PurchaseDesk {
    /// Takes in a receipt: keeps it first, then asks its store, then keeps what it proves (PROTOCOLS 2.4).
    ///
    /// What this returns is on disk. Handing in the same receipt again changes nothing.
    ///
    /// - Parameters:
    ///   - kind: the kind of store, as the front door or the form of the receipt says.
    ///   - app: the app's bundle identifier or package name, where the front door is told.
    ///   - owner: whose purchases these are.
    ///   - credit: whom to credit, where something is to be delivered; only purchases of the receipt's
    ///     ``StoreReceipt/Part/product`` are. Where a receipt names a product and nobody is credited, all that it proves is
    ///     recorded, and nothing where the product is not among it.
    ///   - claims: how many persons may claim it; nil for the publication's own rule.
    /// - Throws: ``Unavailable`` when the ledger could not keep it, or keeps as many as it may (``ReceiptLimits``).
    public func confirm(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil, owner: PurchaseOwner,
        credit: Credit? = nil, claims: ClaimRule? = nil
    ) async throws -> Confirmation {
        guard let verifier = verifier(of: kind, app: app) else { return .refused(ReceiptRefusal(.noStore)) }
        guard verifier.isPlausible(receipt) else {
            let refusal = ReceiptRefusal(.malformed)
            observe(.refused(verifier.store, refusal))
            didChange(.refused(to: owner, product: receipt[.product], refusal))
            return .refused(refusal)
        }
        let incoming = IncomingReceipt(
            publication: publication, store: verifier.store, owner: owner, receipt: receipt, credit: credit)
        let record = try await keep(incoming)
        if case .proven(let proven) = record.standing,
            clock.now.timeIntervalSince(proven) < times.recheckEnded
        {
            return .recorded([])
        }
        guard let outcome = try await settle(record, by: verifier, claims: claims ?? self.claims) else {
            throw Unavailable(retryAfter: 600, cause: "the store could not be asked, and the receipt may not wait")
        }
        return outcome
    }

    private func keep(_ incoming: IncomingReceipt) async throws -> ReceiptRecord {
        let kept: Result<ReceiptRecord, ReceiptLimitReached> = try await keep {
            do {
                return .success(try await ledger.keep(incoming, within: limits, at: clock.now))
            } catch let reached as ReceiptLimitReached {
                return .failure(reached)
            }
        }
        switch kept {
        case .success(let record): return record
        case .failure(let reached):
            observe(.limited(incoming.store, reached))
            throw Unavailable(retryAfter: reached.retryAfter, cause: reached.cause)
        }
    }

    /// Asks the store about a receipt on record, and keeps the answer.
    ///
    /// - Parameter lease: the one that the receipt was taken with; nil where it was just handed in.
    /// - Returns: nil when the store could not be asked and the receipt may not wait: it is then forgotten.
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
        case .refused(let refusal):
            await review(record.incoming.receipt, by: verifier)
            return try await refuse(record, refusal)
        case .genuine(let proven):
            let transactions = proven.filter(\.isWellFormed)
            guard !transactions.isEmpty else {
                return try await refuse(record, ReceiptRefusal(proven.isEmpty ? .empty : .malformed))
            }
            let takenBack = transactions.filter { $0.revoked != nil }
            if let reason = takenBack.count == transactions.count ? .revoked : unproven(transactions, record) {
                // The store's word, whatever the receipt was handed in for: what waits to be delivered is not any more.
                let news = try await keep {
                    let news = try await ledger.newlyTakenBack(takenBack)
                    try await ledger.note(takenBack, at: clock.now)
                    return news
                }
                tell(takenBack: news)
                return try await refuse(record, ReceiptRefusal(reason))
            }
            let (settlement, news) = try await keep {
                let news = try await ledger.newlyTakenBack(takenBack)
                let settlement = try await ledger.settle(
                    record, proving: transactions, claims: claims, delivering: credited(transactions, record),
                    at: clock.now)
                return (settlement, news)
            }
            tell(takenBack: news)
            guard settlement == .settled else {
                let refusal = ReceiptRefusal(.claimedByAnother)
                observe(.refused(verifier.store, refusal))
                tell(record, refusal)
                return .refused(refusal)
            }
            observe(.proven(verifier.store))
            if let owner = record.incoming.owner { tell(transactions, provenBy: owner) }
            return .recorded(transactions)
        }
    }

    /// What of a receipt is to be delivered: purchases of the product the app named, not taken back.
    private func credited(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [Delivery] {
        guard let credit = record.incoming.credit else { return [] }
        return named(transactions, record).filter { $0.revoked == nil }
            .map { Delivery($0, to: credit, in: publication) }
    }

    /// Why a receipt does not prove the product that it was handed in for; nil where it does, or was handed in for all it proves.
    private func unproven(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> ReceiptRefusal.Reason? {
        guard record.incoming.credit != nil || record.incoming.receipt[.product] != nil else { return nil }
        let named = named(transactions, record)
        guard named.allSatisfy({ $0.revoked != nil }) else { return nil }
        return named.isEmpty ? .wrongProduct : .revoked
    }

    /// What a receipt proves of the product that it names. For what is delivered that is the very product; else an app may name it
    /// by its beginning, up to an underscore (PROTOCOLS 5.2: further parts of `ITEM_FEE` count for nothing).
    private func named(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [StoreTransaction] {
        guard let product = record.incoming.receipt[.product] else { return [] }
        let isExact = record.incoming.credit != nil
        return counting(transactions).filter {
            $0.product == product || !isExact && Self.isNumbered(product) && $0.product.hasPrefix("\(product)_")
        }
    }

    private static func isNumbered(_ product: String) -> Bool {
        product.wholeMatch(of: /[1-9][0-9]{0,9}_[1-9][0-9]{0,9}/) != nil
    }

    private func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal) async throws -> Confirmation {
        observe(.refused(record.incoming.store, refusal))
        try await keep { try await ledger.refuse(record, refusal, at: clock.now) }
        tell(record, refusal)
        return .refused(refusal)
    }

    /// A receipt refused or proven before stays what it was until its store says otherwise (PITFALLS row 9).
    private func postpone(
        _ record: ReceiptRecord, _ error: any Error, _ lease: [UInt8]?
    ) async throws -> Confirmation? {
        observe(.postponed(record.incoming.store, cause: Self.cause(error)))
        switch record.standing {
        case .refused(let refusal, _): return .refused(refusal)
        case .proven: return .recorded([])
        case .waiting: return try await wait(record, until: nextAttempt(at: record), lease: lease) ? .kept : nil
        }
    }

    /// When a receipt's store is asked again that could not be asked now.
    func nextAttempt(at record: ReceiptRecord) -> Date {
        guard case .waiting(let attempts) = record.standing else { return clock.now }
        return clock.now.addingTimeInterval(times.retry(after: attempts))
    }

    /// Leaves a receipt waiting, unless it has waited for too long or too many do.
    ///
    /// - Returns: false when it was forgotten.
    @discardableResult
    func wait(_ record: ReceiptRecord, until next: Date, lease: [UInt8]?) async throws -> Bool {
        let store = record.incoming.store
        let now = clock.now
        // By both clocks: this one may be ahead, or have been behind when it came.
        if now.timeIntervalSince(record.received) >= times.longestWait,
            try await keep({ try await ledger.giveUp(record.id, afterWaiting: times.longestWait) })
        {
            observe(.givenUp(store))
            return false
        }
        let waits = try await keep {
            try await ledger.postpone(record.id, lease: lease, within: limits, at: now, until: next)
        }
        if !waits { observe(.limited(store, .waiting)) }
        return waits
    }

    private func tell(_ record: ReceiptRecord, _ refusal: ReceiptRefusal) {
        guard let owner = record.incoming.owner else { return }
        didChange(.refused(to: owner, product: record.incoming.receipt[.product], refusal))
    }

    /// What counts here and was not taken back; nothing where that is none of it.
    private func tell(_ transactions: [StoreTransaction], provenBy owner: PurchaseOwner) {
        let bought = counting(transactions).filter { $0.revoked == nil }
        if !bought.isEmpty { didChange(.proven(by: owner, bought)) }
    }

    func tell(takenBack: [StoreTransaction]) {
        if !takenBack.isEmpty { didChange(.takenBack(takenBack)) }
    }
}
