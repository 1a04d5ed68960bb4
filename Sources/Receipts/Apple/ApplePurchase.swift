import Foundation
import Gatefold

/// One purchase as Apple's older receipts tell of it, in whatever format.
struct ApplePurchase: Sendable, Equatable {
    var product: String
    var transaction: String
    var original: String
    var purchased: Date
    var expires: Date?
    var grace = Grace.unsaid
    /// When Apple took it back.
    var cancelled: Date?
    var quantity = 1

    /// What was told of the billing grace period behind the end.
    enum Grace: Sendable, Equatable {
        case unsaid
        case none
        case until(Date)
    }

    /// More in one receipt are nobody's.
    static let most = 10_000

    /// Nil where an identifier is longer than any of Apple's.
    func transaction(
        of store: StoreName, in environment: StoreEnvironment, told: Date
    ) -> StoreTransaction? {
        let texts = [product, transaction, original]
        guard texts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= StoreTransaction.longestText }) else { return nil }
        return StoreTransaction(
            store: store, id: transaction, original: original, product: product, purchased: purchased,
            expires: expires, grace: grace(told), revoked: cancelled, quantity: max(1, quantity),
            environment: environment, told: told)
    }

    private func grace(_ told: Date) -> GracePeriod? {
        switch grace {
        case .unsaid: nil
        case .none: GracePeriod(ends: nil, told: told)
        case .until(let end): GracePeriod(ends: end, told: told)
        }
    }
}

extension ReceiptVerdict {
    /// What purchases amount to: without a usable one the receipt is empty.
    static func of(
        _ purchases: [ApplePurchase], in store: StoreName, environment: StoreEnvironment, told: Date
    ) -> ReceiptVerdict {
        let transactions = purchases.compactMap { $0.transaction(of: store, in: environment, told: told) }
        return transactions.isEmpty ? .refused(ReceiptRefusal(.empty)) : .genuine(transactions)
    }
}
