package import Gatefold

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

extension PurchaseEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .verified(let store): .of(store, "gatefold_receipts_total", "verified")
        case .rejected(let store, let rejection):
            .of(store, "gatefold_receipts_total", rejection.reason.rawValue)
                .log(
                    .info, "Receipt rejected",
                    ["store": store, "reason": rejection.reason.rawValue, "code": rejection.code])
        case .postponed(let store, let cause):
            .of(store, "gatefold_receipts_total", "postponed").log(
                .warning, "Store query failed", ["store": store, "cause": cause])
        case .limited(let store, let reached):
            .of(store, "gatefold_receipts_total", "limited").log(
                .warning, "Receipt not stored", ["store": store, "cause": reached.cause])
        case .abandoned(let store):
            .of(store, "gatefold_receipts_total", "abandoned")
                .log(
                    .warning, "Receipt deleted",
                    ["store": store, "cause": "the store was unavailable for the maximum pending time"])
        case .reverified(let store): .of(store, "gatefold_reverifications_total", "reverified")
        case .reverificationFailed(let store, let cause):
            .of(store, "gatefold_reverifications_total", "failed")
                .log(.warning, "Purchase not reverified", ["store": store, "cause": cause])
        case .acknowledged(let store): .of(store, "gatefold_acknowledgements_total", "acknowledged")
        case .notAcknowledged(let store, let cause):
            .of(store, "gatefold_acknowledgements_total", "failed")
                .log(.warning, "Purchase not acknowledged", ["store": store, "cause": cause])
        case .notified(let store, let name, let isNew):
            .of(store, "gatefold_store_notifications_total", isNew ? "accepted" : "duplicate")
                .log(.info, "Store notification received", ["store": store, "name": name])
        case .notificationRejected(let store, let rejection):
            .of(store, "gatefold_store_notifications_total", rejection.reason.rawValue)
                .log(
                    .warning, "Store notification rejected",
                    ["store": store, "reason": rejection.reason.rawValue, "code": rejection.code])
        case .ledgerFailed(let cause):
            .counter("gatefold_state_failures_total", ["result": "failed"])
                .log(.error, "Purchase ledger failed", ["cause": cause])
        }
    }
}

extension EventReport {
    fileprivate static func of(_ store: StoreName, _ name: String, _ result: String) -> EventReport {
        .counter(name, ["store": store.rawValue, "result": result])
    }
}
