package import Gatefold

extension ReceiptVerdict {
    /// What was proven; none for a refusal.
    package var transactions: [StoreTransaction] {
        if case .genuine(let transactions) = self { transactions } else { [] }
    }
}
