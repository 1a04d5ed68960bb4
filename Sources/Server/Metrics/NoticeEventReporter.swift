import Logging
import MQTT
import Metrics

/// Turns what became of notices into metrics and log lines.
enum NoticeEventReporter {
    static func report(_ event: MQTTPublisher.Event, to logger: Logger) {
        switch event {
        case .connected: logger.notice("notifications: connected to the broker")
        case .disconnected(let cause):
            Counter(label: "gatefold_notice_disconnections_total").increment()
            logger.warning("notifications: no connection to the broker", metadata: ["cause": "\(cause)"])
        case .published(let count): self.count("published", count)
        case .dropped(let count): self.count("dropped", count)
        case .refused:
            count("failed", 1)
            logger.error("notifications: one can not be published")
        }
    }

    /// - Parameter admission: whether an app was let in to hear.
    static func report(admission: Bool) {
        Counter(
            label: "gatefold_notice_admissions_total", dimensions: [("result", admission ? "allowed" : "refused")]
        ).increment()
    }

    private static func count(_ result: String, _ count: Int) {
        Counter(label: "gatefold_notices_total", dimensions: [("result", result)]).increment(by: count)
    }
}
