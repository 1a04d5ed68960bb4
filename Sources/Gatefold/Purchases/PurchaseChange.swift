/// What has just become of somebody's purchases, for whoever tells them.
public enum PurchaseChange: Sendable, Equatable {
    /// A receipt was found genuine, and what it proves is on record: what of it counts here and was not taken back, at least
    /// one purchase.
    case proven(by: PurchaseOwner, [StoreTransaction])
    /// A receipt proved nothing.
    ///
    /// - Parameter product: what the app said was bought, where it said it.
    case refused(to: PurchaseOwner, product: String?, ReceiptRefusal)
    /// A store took these back. Told once by each of its messages, and once when it is found out by asking or by a receipt
    /// before a message says so.
    case takenBack([StoreTransaction])
}
