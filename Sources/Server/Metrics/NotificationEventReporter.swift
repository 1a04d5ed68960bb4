import Logging
import MQTT
import Metrics

/// The reporter that converts events of notifications into metrics and log lines.
enum NotificationEventReporter {
    static func report(_ event: MQTTPublisher.Event, to logger: Logger) {
        switch event {
        case .connected: logger.notice("Connected to the notification broker")
        case .disconnected(let cause):
            Counter(label: "gatefold_notification_disconnections_total").increment()
            logger.warning("No connection to the notification broker", metadata: ["cause": "\(cause)"])
        case .published(let count): self.count("published", count)
        case .dropped(let count): self.count("dropped", count)
        case .rejected:
            count("failed", 1)
            logger.error("Notification not published")
        }
    }

    /// - Parameter admission: A Boolean value that indicates whether an app was allowed to subscribe to
    ///   notifications.
    static func report(admission: Bool) {
        Counter(
            label: "gatefold_notification_authorizations_total",
            dimensions: [("result", admission ? "allowed" : "denied")]
        ).increment()
    }

    private static func count(_ result: String, _ count: Int) {
        Counter(label: "gatefold_notifications_total", dimensions: [("result", result)]).increment(by: count)
    }
}
