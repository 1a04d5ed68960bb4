import Foundation
import Gatefold

/// Recognises whoever has a store's receipt, as the buyer of the earliest purchase in it.
///
/// What was bought is no subscription of this system's: the publication adds it, as it does for everybody, from the ledger
/// where recognising put it down as the reader's.
struct ReceiptsBackend: SubscriberBackend {
    let name: String
    /// Whose receipts these are in the ledger.
    let publication: PublicationID
    let verifiers: [any ReceiptVerifier]
    let fields: ReceiptFields
    let environments: Set<StoreEnvironment>
    let claims: ClaimRule
    let ledger: any PurchaseLedger
    let references: ReferenceKey
    let clock: WallClock
    let observe: @Sendable (BackendEvent) -> Void

    func reads(_ form: Credentials.Form) -> Bool { form == .receipt }

    /// - Throws: when the store or the ledger could not be asked.
    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let receipt = fields.receipt(in: credentials)
        guard credentials.form == .receipt, !receipt.isEmpty else { return .notRecognised(message: nil) }
        for verifier in candidates(for: receipt) {
            switch try await verifier.verify(receipt, allowing: environments, at: clock.now) {
            case .genuine(let transactions):
                let counting = transactions.filter { environments.contains($0.environment) }
                if counting.allSatisfy({ $0.revoked != nil }) {
                    try await ledger.note(counting, at: clock.now)
                    return refuse(ReceiptRefusal(counting.isEmpty ? .empty : .revoked))
                }
                guard let subscriber = subscriber(counting) else { return refuse(ReceiptRefusal(.empty)) }
                return try await claim(receipt, counting, of: verifier.store, for: subscriber)
            case .refused(let refusal):
                // Of another of the publisher's apps, perhaps, which has a store of its own here.
                if refusal.reason == .wrongApp { continue }
                // Refused it is in any case; what it proved before may have been taken back.
                try? await ledger.review(receipt, by: verifier, allowing: environments, at: clock.now)
                return refuse(refusal)
            }
        }
        return refuse(ReceiptRefusal(.wrongApp))
    }

    /// No entitlement by itself. Somebody whose purchases are not on record is nobody: the state is `unknown`, and the app
    /// signs in with its receipt again.
    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let claimed = try await ledger.transactions(
            of: references.owner(subscriber), in: Set(verifiers.map(\.store)))
        return Subscription(
            state: claimed.contains { environments.contains($0.environment) } ? .inactive : .unknown)
    }

    /// The stores that may have given such a receipt; the only one there is in any case.
    private func candidates(for receipt: StoreReceipt) -> [any ReceiptVerifier] {
        if verifiers.count == 1 { return verifiers }
        let kind = StoreKind(formOf: receipt)
        return verifiers.filter { $0.kind == kind }
    }

    /// Who the receipt is from: the buyer of its earliest purchase, because a later receipt of the same person goes on
    /// having that one.
    private func subscriber(_ transactions: [StoreTransaction]) -> Subscriber? {
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }) else {
            return nil
        }
        return Subscriber(backend: name, key: "\(first.store)/\(first.original)")
    }

    private func claim(
        _ receipt: StoreReceipt, _ transactions: [StoreTransaction], of store: StoreName, for subscriber: Subscriber
    ) async throws -> Recognition {
        let incoming = IncomingReceipt(
            publication: publication, store: store, owner: references.owner(subscriber), receipt: receipt)
        let settlement = try await ledger.keep(incoming, proving: transactions, claims: claims, at: clock.now)
        guard settlement == .settled else { return refuse(ReceiptRefusal(.claimedByAnother)) }
        return .recognised(subscriber)
    }

    private func refuse(_ refusal: ReceiptRefusal) -> Recognition {
        let detail = refusal.code.map { "\(refusal.reason.rawValue) (\($0))" } ?? refusal.reason.rawValue
        observe(BackendEvent(backend: name, name: "receipt_refused", detail: detail))
        return .notRecognised(message: nil)
    }
}
