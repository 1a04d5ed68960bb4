package import Commerce

extension ReceiptVerdict {
    /// The verified transactions, empty for a rejection.
    package var transactions: [StoreTransaction] {
        if case .genuine(let transactions) = self { transactions } else { [] }
    }
}
