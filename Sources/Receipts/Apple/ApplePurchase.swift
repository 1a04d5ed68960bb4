import Commerce
import Foundation

/// A purchase in one of Apple's older receipts, independent of the format.
struct ApplePurchase: Sendable, Equatable {
    var product: String
    var transaction: String
    var original: String
    var purchased: Date
    var expires: Date?
    var grace = Grace.unspecified
    /// The date on which Apple refunded the purchase.
    var cancelled: Date?
    var quantity = 1

    /// The statement about the billing grace period after the end.
    enum Grace: Sendable, Equatable {
        case unspecified
        case none
        case until(Date)
    }

    /// The maximum number of purchases in one receipt. No genuine receipt contains more.
    static let limit = 10_000

    /// Returns the purchase as a transaction, or nil if an identifier is longer than any identifier of Apple.
    func transaction(
        of store: StoreName, in environment: StoreEnvironment, reported: Date
    ) -> StoreTransaction? {
        let texts = [product, transaction, original]
        guard texts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= StoreTransaction.maxTextLength }) else { return nil }
        return StoreTransaction(
            store: store, id: transaction, original: original, product: product, purchased: purchased,
            expires: expires, grace: grace(reported), revoked: cancelled, quantity: max(1, quantity),
            environment: environment, reported: reported)
    }

    private func grace(_ reported: Date) -> GracePeriod? {
        switch grace {
        case .unspecified: nil
        case .none: GracePeriod(ends: nil, reported: reported)
        case .until(let end): GracePeriod(ends: end, reported: reported)
        }
    }
}

extension ReceiptVerdict {
    /// Returns the verdict on purchases. If none of them is usable, the receipt is empty.
    static func of(
        _ purchases: [ApplePurchase], in store: StoreName, environment: StoreEnvironment, reported: Date
    ) -> ReceiptVerdict {
        let transactions = purchases.compactMap { $0.transaction(of: store, in: environment, reported: reported) }
        return transactions.isEmpty ? .rejected(ReceiptRejection(.empty)) : .genuine(transactions)
    }
}
