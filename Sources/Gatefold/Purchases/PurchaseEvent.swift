/// An event of receipts and purchases, for logs and metrics. It contains no receipt, token or name.
public enum PurchaseEvent: Sendable, Equatable {
    case verified(StoreName)
    case rejected(StoreName, ReceiptRejection)
    /// A receipt is stored because the store was unavailable. The store will be queried again.
    ///
    /// - Parameter cause: The cause of the failure, without secrets.
    case postponed(StoreName, cause: String)
    /// A receipt was not stored because the limit is reached.
    case limited(StoreName, ReceiptLimitReached)
    /// A receipt was deleted because the store was unavailable for too long.
    case abandoned(StoreName)
    /// A purchase was reverified.
    case reverified(StoreName)
    case reverificationFailed(StoreName, cause: String)
    /// A purchase was acknowledged to its store.
    case acknowledged(StoreName)
    /// An acknowledgement failed and will be sent again.
    case notAcknowledged(StoreName, cause: String)
    /// - Parameter name: The store's name of the notification, such as `REFUND`.
    case notified(StoreName, name: String, isNew: Bool)
    case notificationRejected(StoreName, ReceiptRejection)
    case ledgerFailed(cause: String)
}
