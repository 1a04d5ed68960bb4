import Commerce
import Foundation

/// The apps of one developer in the Amazon Appstore.
///
/// Every verification calls Amazon, because Amazon signs no purchases.
///
/// Source: Store receipts in the Pugpig style, “Amazon receipts”.
struct AmazonStore: ReceiptVerifier {
    /// The meaning of the part ``StoreReceipt/Part/token``. The part ``StoreReceipt/Part/receipt`` is always a
    /// receipt's identifier.
    enum AmazonTokenKind: String, Sendable, CaseIterable {
        case receiptID = "receipt_id"
        case purchaseToken = "purchase_token"
    }

    let store: StoreName
    /// The package names of the apps. An empty set means all apps of the developer.
    let apps: Set<String>
    let tokens: AmazonTokenKind
    let isSandbox: Bool
    /// The lease in seconds. See ``AmazonPurchase/transaction(in:_:of:lease:isSandbox:at:)``.
    let lease: TimeInterval
    let service: AmazonService

    var kind: StoreKind { .amazon }

    func sells(app: String) -> Bool { apps.isEmpty || apps.contains(app) }

    /// The maximum length of a text in bytes. Amazon issues no longer text.
    private static let maxLength = 4096

    func isPlausible(_ receipt: StoreReceipt) -> Bool { reference(in: receipt) != nil }

    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard let (reference, user) = reference(in: receipt) else { return .rejected(ReceiptRejection(.malformed)) }
        switch try await query(reference, user, at: timestamp) {
        case .rejected(let rejection): return .rejected(rejection)
        case .found(let transaction):
            guard allowed.contains(transaction.environment) else {
                return .rejected(ReceiptRejection(.wrongEnvironment))
            }
            return .genuine([transaction])
        }
    }

    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]? {
        guard let receipt, let (reference, user) = reference(in: receipt) else { return nil }
        switch try await query(reference, user, at: timestamp) {
        case .found(let found):
            return found.original == transaction.original && allowed.contains(found.environment) ? [found] : []
        case .rejected(let rejection) where rejection.reason == .expired:
            // A subscription can be over before its last known end. A purchase without an end was refunded.
            return [transaction.ends == nil ? transaction.refunded(at: timestamp) : transaction.ended(at: timestamp)]
        case .rejected: return []
        }
    }

    private enum ServiceResult {
        case found(StoreTransaction)
        case rejected(ReceiptRejection)
    }

    private func query(_ reference: AmazonReference, _ user: String, at timestamp: Date) async throws -> ServiceResult {
        switch try await service.verify(reference, of: user) {
        case .rejected(let rejection): return .rejected(rejection)
        case .found(let json, let last):
            guard let purchase = AmazonPurchase(json, last) else { throw AmazonFailure.unrecognizedResponse }
            // The app's own reference names the purchase, because it stays the same when Amazon renews it.
            return .found(
                purchase.transaction(
                    in: store, reference, of: user, lease: lease, isSandbox: isSandbox, at: timestamp))
        }
    }

    private func reference(in receipt: StoreReceipt) -> (AmazonReference, user: String)? {
        guard let user = receipt[.user], let text = receipt[.receipt] ?? receipt[.token],
            [user, text].allSatisfy({ $0.utf8.count <= Self.maxLength && !["", ".", ".."].contains($0) })
        else { return nil }
        if receipt[.receipt] == nil, tokens == .purchaseToken { return (.purchaseToken(text), user) }
        return (.receiptID(text), user)
    }
}
