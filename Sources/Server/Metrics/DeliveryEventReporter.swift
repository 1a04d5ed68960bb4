import Deliveries
import Gatefold
import Logging
import Metrics
import Protections

/// The reporter that converts events of deliveries into metrics and log lines, which name deliveries by their
/// references.
enum DeliveryEventReporter {
    static func report(_ event: DeliveryEvent, to logger: Logger) {
        switch event {
        case .delivered(let publication): count(publication, "delivered")
        case .failed(let publication, let reference, let cause, let isRejection):
            count(publication, isRejection ? "rejected" : "failed")
            logger.log(
                level: isRejection ? .error : .warning, "Delivery failed",
                metadata: ["publication": "\(publication)", "delivery": "\(reference)", "cause": "\(cause)"])
        case .waiting(let publication, let waiting):
            Gauge(label: "gatefold_deliveries_waiting", dimensions: [("publication", publication.rawValue)])
                .record(waiting)
        case .outboxFailed(let publication, let cause):
            count(publication, "outbox_failed")
            logger.error("Deliveries not read", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    /// Counts a change of the circuit breaker of a delivery's receiver.
    static func report(_ change: BreakerState.Change, of publication: PublicationID) {
        count(publication, "breaker_\(change)")
    }

    private static func count(_ publication: PublicationID, _ result: String) {
        Counter(
            label: "gatefold_deliveries_total", dimensions: [("publication", publication.rawValue), ("result", result)]
        ).increment()
    }
}
