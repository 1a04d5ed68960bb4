public import Gatefold
import Logging
import Metrics

/// The reporter that converts events of receipts and purchases into metrics and log lines.
public struct PurchaseEventReporter: Sendable {
    private let publication: PublicationID

    public init(publication: PublicationID) {
        self.publication = publication
    }

    public func report(_ event: PurchaseEvent) {
        let logger = Logger.current
        switch event {
        case .verified(let store):
            count("gatefold_receipts_total", store, "verified")
        case .rejected(let store, let rejection):
            count("gatefold_receipts_total", store, rejection.reason.rawValue)
            logger.info("Receipt rejected", metadata: fields(store, rejection))
        case .postponed(let store, let cause):
            count("gatefold_receipts_total", store, "postponed")
            logger.warning("Store query failed", metadata: fields(store, cause: cause))
        case .limited(let store, let reached):
            count("gatefold_receipts_total", store, "limited")
            logger.warning("Receipt not stored", metadata: fields(store, cause: reached.cause))
        case .abandoned(let store):
            count("gatefold_receipts_total", store, "abandoned")
            logger.warning(
                "Receipt deleted",
                metadata: fields(store, cause: "the store was unavailable for the maximum pending time"))
        case .reverified(let store):
            count("gatefold_reverifications_total", store, "reverified")
        case .reverificationFailed(let store, let cause):
            count("gatefold_reverifications_total", store, "failed")
            logger.warning("Purchase not reverified", metadata: fields(store, cause: cause))
        case .acknowledged(let store):
            count("gatefold_acknowledgements_total", store, "acknowledged")
        case .notAcknowledged(let store, let cause):
            count("gatefold_acknowledgements_total", store, "failed")
            logger.warning("Purchase not acknowledged", metadata: fields(store, cause: cause))
        case .notified(let store, let name, let isNew):
            count("gatefold_store_notifications_total", store, isNew ? "accepted" : "duplicate")
            logger.info("Store notification received", metadata: fields(store).merging(["name": "\(name)"]) { $1 })
        case .notificationRejected(let store, let rejection):
            count("gatefold_store_notifications_total", store, rejection.reason.rawValue)
            logger.warning("Store notification rejected", metadata: fields(store, rejection))
        case .ledgerFailed(let cause):
            Counter(
                label: "gatefold_state_failures_total",
                dimensions: [("publication", publication.rawValue), ("result", "failed")]
            ).increment()
            logger.error("Purchase ledger failed", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private func count(_ label: String, _ store: StoreName, _ result: String) {
        Counter(
            label: label,
            dimensions: [("publication", publication.rawValue), ("store", store.rawValue), ("result", result)]
        ).increment()
    }

    private func fields(_ store: StoreName, _ rejection: ReceiptRejection) -> Logger.Metadata {
        var fields = fields(store)
        fields["reason"] = "\(rejection.reason.rawValue)"
        if let code = rejection.code { fields["code"] = "\(code)" }
        return fields
    }

    private func fields(_ store: StoreName, cause: String? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["publication": "\(publication)", "store": "\(store)"]
        if let cause { fields["cause"] = "\(cause)" }
        return fields
    }
}
