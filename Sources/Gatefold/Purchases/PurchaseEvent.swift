/// What happened to receipts and purchases, for logs and metrics. Holds no receipt, token or name.
public enum PurchaseEvent: Sendable, Equatable {
    case proven(StoreName)
    case refused(StoreName, ReceiptRefusal)
    /// Kept, because the store could not be asked; it will be.
    ///
    /// - Parameter cause: what failed, without secrets.
    case postponed(StoreName, cause: String)
    /// Not kept, because there are as many as may be.
    case limited(StoreName, ReceiptLimitReached)
    /// Forgotten, because the store could not be asked for too long.
    case givenUp(StoreName)
    /// A purchase was looked at again.
    case rechecked(StoreName)
    case recheckFailed(StoreName, cause: String)
    /// The store was told that a purchase is its buyer's.
    case acknowledged(StoreName)
    /// It was not, and is to be told again.
    case notAcknowledged(StoreName, cause: String)
    /// - Parameter name: the store's word, such as `REFUND`.
    case notified(StoreName, name: String, isNew: Bool)
    case notificationRefused(StoreName, ReceiptRefusal)
    case ledgerFailed(cause: String)
}
