public import Gatefold

/// A change of a person's purchases, for the code that notifies the app.
public enum PurchaseChange: Sendable, Equatable {
    /// A receipt was genuine, and its transactions are stored. The list holds at least one transaction: those that
    /// count here and are not revoked.
    case verified(by: PurchaseOwner, [StoreTransaction])
    /// A receipt proved nothing.
    ///
    /// - Parameter product: The product that the app reported as bought, if it sent one.
    case rejected(to: PurchaseOwner, product: String?, ReceiptRejection)
    /// A store revoked these transactions. The change is reported once for each message of the store. It is also
    /// reported once if a store query or a receipt reveals the revocation before a message arrives.
    case refunded([StoreTransaction])
}
