public import Gatefold
import Logging
import Metrics

/// Turns what happened to receipts and purchases into metrics and log lines.
public struct PurchaseEventReporter: Sendable {
    private let publication: PublicationID

    public init(publication: PublicationID) {
        self.publication = publication
    }

    public func report(_ event: PurchaseEvent) {
        let logger = Logger.current
        switch event {
        case .proven(let store):
            count("gatefold_receipts_total", store, "proven")
        case .refused(let store, let refusal):
            count("gatefold_receipts_total", store, refusal.reason.rawValue)
            logger.info("receipt refused", metadata: fields(store, refusal))
        case .postponed(let store, let cause):
            count("gatefold_receipts_total", store, "postponed")
            logger.warning("store could not be asked", metadata: fields(store, cause: cause))
        case .limited(let store, let reached):
            count("gatefold_receipts_total", store, "limited")
            logger.warning("receipt not taken in", metadata: fields(store, cause: reached.cause))
        case .givenUp(let store):
            count("gatefold_receipts_total", store, "given_up")
            logger.warning(
                "receipt forgotten",
                metadata: fields(store, cause: "its store could not be asked for as long as a receipt may wait"))
        case .rechecked(let store):
            count("gatefold_rechecks_total", store, "rechecked")
        case .recheckFailed(let store, let cause):
            count("gatefold_rechecks_total", store, "failed")
            logger.warning("purchase not looked at again", metadata: fields(store, cause: cause))
        case .acknowledged(let store):
            count("gatefold_acknowledgements_total", store, "acknowledged")
        case .notAcknowledged(let store, let cause):
            count("gatefold_acknowledgements_total", store, "failed")
            logger.warning("purchase not acknowledged", metadata: fields(store, cause: cause))
        case .notified(let store, let name, let isNew):
            count("gatefold_store_notifications_total", store, isNew ? "taken" : "repeated")
            logger.info("store notification", metadata: fields(store).merging(["name": "\(name)"]) { $1 })
        case .notificationRefused(let store, let refusal):
            count("gatefold_store_notifications_total", store, refusal.reason.rawValue)
            logger.warning("store notification refused", metadata: fields(store, refusal))
        case .ledgerFailed(let cause):
            Counter(
                label: "gatefold_state_failures_total",
                dimensions: [("publication", publication.rawValue), ("result", "failed")]
            ).increment()
            logger.error("ledger failed", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private func count(_ label: String, _ store: StoreName, _ result: String) {
        Counter(
            label: label,
            dimensions: [("publication", publication.rawValue), ("store", store.rawValue), ("result", result)]
        ).increment()
    }

    private func fields(_ store: StoreName, _ refusal: ReceiptRefusal) -> Logger.Metadata {
        var fields = fields(store)
        fields["reason"] = "\(refusal.reason.rawValue)"
        if let code = refusal.code { fields["code"] = "\(code)" }
        return fields
    }

    private func fields(_ store: StoreName, cause: String? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["publication": "\(publication)", "store": "\(store)"]
        if let cause { fields["cause"] = "\(cause)" }
        return fields
    }
}
