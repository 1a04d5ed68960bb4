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
