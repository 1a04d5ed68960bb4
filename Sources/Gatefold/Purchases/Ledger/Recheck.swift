public import Foundation

/// Which purchases are due to be asked about again.
public enum RecheckSelection: Sendable, Equatable {
    /// Subscriptions whose last known end lies there. Those whose last period was taken back are among them: they may be
    /// renewed, and a refund be reversed.
    case ending(Period)
    /// What has no end and was bought since then, and may have been refunded.
    case bought(since: Date)
}

/// A purchase to ask its store about again.
public struct Recheck: Sendable, Equatable {
    /// The last of its transactions.
    public let transaction: StoreTransaction
    /// The latest receipt that proved it.
    public let receipt: StoreReceipt?

    public init(transaction: StoreTransaction, receipt: StoreReceipt?) {
        self.transaction = transaction
        self.receipt = receipt
    }
}
