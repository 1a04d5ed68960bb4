import Commerce

/// The key of a purchase. All renewals of a subscription share one key.
struct PurchaseKey: Hashable {
    let store: StoreName
    let original: String

    init(store: StoreName, original: String) {
        self.store = store
        self.original = original
    }

    init(_ transaction: StoreTransaction) {
        self.init(store: transaction.store, original: transaction.original)
    }
}
