import Commerce
import Foundation
import Gatefold
import Primitives
import Resilience

/// A backend that authenticates the owner of a store receipt as the buyer of the earliest purchase in the receipt.
///
/// The purchases are not a subscription of this backend. Authentication records them for the reader in the ledger,
/// and the publication adds them from there, as it does for all readers.
struct ReceiptsBackend: CredentialSelectingBackend {
    let name: String
    /// The publication of these receipts in the ledger.
    let publication: PublicationID
    let verifiers: [any ReceiptVerifier]
    let fields: ReceiptFields
    let environments: Set<StoreEnvironment>
    let claims: ClaimRule
    let ledger: any TransactionLedger
    let pseudonymKey: PseudonymKey
    let clock: WallClock
    let observe: @Sendable (BackendEvent) -> Void

    func accepts(_ kind: Credentials.Kind) -> Bool { kind == .receipt }

    /// Authenticates a receipt.
    ///
    /// - Throws: An error if the store or the ledger fails.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let receipt = fields.receipt(in: credentials)
        guard credentials.kind == .receipt, !receipt.isEmpty else { return .rejected(message: nil) }
        for verifier in candidates(for: receipt) {
            switch try await verifier.verify(receipt, allowing: environments, at: clock.now) {
            case .genuine(let transactions):
                let counting = transactions.filter { environments.contains($0.environment) }
                if counting.allSatisfy({ $0.revoked != nil }) {
                    try await ledger.record(counting, at: clock.now)
                    return reject(ReceiptRejection(counting.isEmpty ? .empty : .revoked))
                }
                guard let subscriber = subscriber(counting) else { return reject(ReceiptRejection(.empty)) }
                return try await claim(receipt, counting, of: verifier.store, for: subscriber)
            case .rejected(let rejection):
                // The receipt may be from another of the publisher's apps, which has its own store in the
                // configuration.
                if rejection.reason == .wrongApp { continue }
                // The receipt is rejected in any case, but earlier purchases may have been revoked.
                try? await ledger.review(receipt, by: verifier, allowing: environments, at: clock.now)
                return reject(rejection)
            }
        }
        return reject(ReceiptRejection(.wrongApp))
    }

    /// Returns a subscription without an entitlement. The state is `unknown` if the ledger has no purchases of the
    /// subscriber, so that the app signs in with its receipt again.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let claimed = try await ledger.transactions(
            of: pseudonymKey.owner(subscriber), in: Set(verifiers.map(\.store)))
        let isKnown = claimed.contains { environments.contains($0.environment) }
        return Fetched(Subscription(state: isKnown ? .inactive : .unknown))
    }

    /// Returns the stores that may have issued the receipt. A single store is always a candidate.
    private func candidates(for receipt: StoreReceipt) -> [any ReceiptVerifier] {
        if verifiers.count == 1 { return verifiers }
        let kind = StoreKind(kindOf: receipt)
        return verifiers.filter { $0.kind == kind }
    }

    /// Returns the buyer of the receipt's earliest purchase, because later receipts of the same person still
    /// contain it.
    private func subscriber(_ transactions: [StoreTransaction]) -> Subscriber? {
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }) else {
            return nil
        }
        return Subscriber(backend: name, key: "\(first.store)/\(first.original)")
    }

    private func claim(
        _ receipt: StoreReceipt, _ transactions: [StoreTransaction], of store: StoreName, for subscriber: Subscriber
    ) async throws -> Fetched<AuthenticationResult> {
        let incoming = IncomingReceipt(
            publication: publication, store: store, owner: pseudonymKey.owner(subscriber), receipt: receipt)
        let settlement = try await ledger.persist(incoming, proving: transactions, claims: claims, at: clock.now)
        guard settlement == .settled else { return reject(ReceiptRejection(.claimedByAnother)) }
        return .authenticated(subscriber)
    }

    private func reject(_ rejection: ReceiptRejection) -> Fetched<AuthenticationResult> {
        let detail = rejection.code.map { "\(rejection.reason.rawValue) (\($0))" } ?? rejection.reason.rawValue
        observe(BackendEvent(backend: name, name: "receipt_rejected", detail: detail))
        return .rejected(message: nil)
    }
}
