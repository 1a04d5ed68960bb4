public import Foundation
public import Gatefold

/// A selection of purchases for reverification.
public enum ReverificationSelection: Sendable, Equatable {
    /// Subscriptions whose last known end is within the period. Subscriptions with a revoked last period are
    /// included, because they may be renewed, and a refund may be reversed.
    case ending(Period)
    /// Purchases without an end that were bought since the date and may have been refunded.
    case bought(since: Date)
}

/// A purchase to reverify with its store.
public struct Reverification: Sendable, Equatable {
    /// The last transaction of the purchase.
    public let transaction: StoreTransaction
    /// The latest receipt that proved the purchase.
    public let receipt: StoreReceipt?

    /// The time of the store's last result for the purchase.
    public let lastVerifiedAt: Date

    public init(transaction: StoreTransaction, receipt: StoreReceipt?, lastVerifiedAt: Date) {
        self.transaction = transaction
        self.receipt = receipt
        self.lastVerifiedAt = lastVerifiedAt
    }
}
