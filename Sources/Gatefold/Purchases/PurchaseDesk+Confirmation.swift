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
    ///     ``StoreReceipt/Part/product`` are.
    ///   - claims: how many persons may claim it; nil for the publication's own rule.
    /// - Throws: ``Unavailable`` when the ledger could not keep it.
    public func confirm(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil, owner: PurchaseOwner,
        credit: Credit? = nil, claims: ClaimRule? = nil
    ) async throws -> Confirmation {
        guard let verifier = verifier(of: kind, app: app) else { return .refused(ReceiptRefusal(.noStore)) }
        guard verifier.isPlausible(receipt) else {
            let refusal = ReceiptRefusal(.malformed)
            observe(.refused(verifier.store, refusal))
            return .refused(refusal)
        }
        let incoming = IncomingReceipt(
            publication: publication, store: verifier.store, owner: owner, receipt: receipt, credit: credit)
        let record = try await keep { try await ledger.keep(incoming, at: clock.now) }
        if case .proven(let proven) = record.standing,
            clock.now.timeIntervalSince(proven) < times.recheckEnded
        {
            return .recorded([])
        }
        return try await settle(record, by: verifier, claims: claims ?? self.claims)
    }

    /// Asks the store about a receipt on record, and keeps the answer.
    func settle(
        _ record: ReceiptRecord, by verifier: any ReceiptVerifier, claims: ClaimRule
    ) async throws -> Confirmation {
        let verdict: ReceiptVerdict
        do {
            verdict = try await verifier.verify(record.incoming.receipt, allowing: environments, at: clock.now)
        } catch {
            return try await postpone(record, error)
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
            if transactions.allSatisfy({ $0.revoked != nil }) {
                try await keep { try await ledger.note(transactions, at: clock.now) }
                return try await refuse(record, ReceiptRefusal(.revoked))
            }
            if let reason = uncredited(transactions, record) {
                return try await refuse(record, ReceiptRefusal(reason))
            }
            let settlement = try await keep {
                try await ledger.settle(
                    record.id, proving: transactions, claims: claims, delivering: credited(transactions, record),
                    at: clock.now)
            }
            guard settlement == .settled else {
                let refusal = ReceiptRefusal(.claimedByAnother)
                observe(.refused(verifier.store, refusal))
                return .refused(refusal)
            }
            observe(.proven(verifier.store))
            return .recorded(transactions)
        }
    }

    /// What of a receipt is to be delivered: purchases of the product the app named, not taken back.
    private func credited(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [Delivery] {
        guard let credit = record.incoming.credit else { return [] }
        return named(transactions, record).filter { $0.revoked == nil }
            .map { Delivery($0, to: credit, in: publication) }
    }

    /// Why nothing of a receipt is to be delivered where something should be.
    private func uncredited(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> ReceiptRefusal.Reason? {
        guard record.incoming.credit != nil, credited(transactions, record).isEmpty else { return nil }
        return named(transactions, record).isEmpty ? .wrongProduct : .revoked
    }

    private func named(_ transactions: [StoreTransaction], _ record: ReceiptRecord) -> [StoreTransaction] {
        let product = record.incoming.receipt[.product]
        return counting(transactions).filter { $0.product == product }
    }

    private func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal) async throws -> Confirmation {
        observe(.refused(record.incoming.store, refusal))
        try await keep { try await ledger.refuse(record.id, refusal, at: clock.now) }
        return .refused(refusal)
    }

    /// A receipt refused or proven before stays what it was until its store says otherwise (PITFALLS row 9).
    private func postpone(_ record: ReceiptRecord, _ error: any Error) async throws -> Confirmation {
        observe(.postponed(record.incoming.store, cause: Self.cause(error)))
        switch record.standing {
        case .refused(let refusal, _): return .refused(refusal)
        case .proven: return .recorded([])
        case .waiting(let attempts):
            let next = clock.now.addingTimeInterval(times.retry(after: attempts))
            try await keep { try await ledger.postpone(record.id, until: next) }
            return .kept
        }
    }
}
