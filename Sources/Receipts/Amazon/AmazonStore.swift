import Foundation
import Gatefold

/// A developer's apps in the Amazon Appstore (PROTOCOLS 1.6).
///
/// Everything is asked of Amazon: nothing it sells is signed.
struct AmazonStore: ReceiptVerifier {
    /// What the part ``StoreReceipt/Part/token`` is; ``StoreReceipt/Part/receipt`` always is a receipt's identifier.
    enum TokenMeaning: String, Sendable, CaseIterable {
        case receiptID = "receipt_id"
        case purchaseToken = "purchase_token"
    }

    let store: StoreName
    /// The package names of the apps; empty for all of the developer's.
    let apps: Set<String>
    let tokens: TokenMeaning
    let isSandbox: Bool
    /// In seconds, see ``AmazonPurchase/transaction(in:_:of:lease:isSandbox:at:)``.
    let lease: TimeInterval
    let service: AmazonService

    var kind: StoreKind { .amazon }

    func sells(app: String) -> Bool { apps.isEmpty || apps.contains(app) }

    /// Texts longer than this, in bytes, are nobody's.
    private static let longest = 4096

    func isPlausible(_ receipt: StoreReceipt) -> Bool { reference(in: receipt) != nil }

    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard let (reference, user) = reference(in: receipt) else { return .refused(ReceiptRefusal(.malformed)) }
        switch try await ask(reference, user, at: moment) {
        case .refused(let refusal): return .refused(refusal)
        case .found(let transaction):
            guard allowed.contains(transaction.environment) else {
                return .refused(ReceiptRefusal(.wrongEnvironment))
            }
            return .genuine([transaction])
        }
    }

    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? {
        guard let receipt, let (reference, user) = reference(in: receipt) else { return nil }
        switch try await ask(reference, user, at: moment) {
        case .found(let found):
            return found.original == transaction.original && allowed.contains(found.environment) ? [found] : []
        case .refused(let refusal) where refusal.reason == .expired:
            // A subscription may be over before the time told last; what has no end was taken back.
            return [transaction.ends == nil ? transaction.takenBack(at: moment) : transaction.ended(at: moment)]
        case .refused: return []
        }
    }

    private enum Answer {
        case found(StoreTransaction)
        case refused(ReceiptRefusal)
    }

    private func ask(_ reference: AmazonReference, _ user: String, at moment: Date) async throws -> Answer {
        switch try await service.verify(reference, of: user) {
        case .refused(let refusal): return .refused(refusal)
        case .found(let json, let last):
            guard let purchase = AmazonPurchase(json, last) else { throw AmazonFailure.notUnderstood }
            // Named by what the app has, which stays the same when Amazon renews it.
            return .found(
                purchase.transaction(
                    in: store, reference, of: user, lease: lease, isSandbox: isSandbox, at: moment))
        }
    }

    private func reference(in receipt: StoreReceipt) -> (AmazonReference, user: String)? {
        guard let user = receipt[.user], let text = receipt[.receipt] ?? receipt[.token],
            [user, text].allSatisfy({ $0.utf8.count <= Self.longest && !["", ".", ".."].contains($0) })
        else { return nil }
        if receipt[.receipt] == nil, tokens == .purchaseToken { return (.purchaseToken(text), user) }
        return (.receiptID(text), user)
    }
}
