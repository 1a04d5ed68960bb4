import Gatefold

/// Names a purchase: all renewals of a subscription are one.
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
