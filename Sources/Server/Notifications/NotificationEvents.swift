package import Gatefold
package import MQTT

// The library MQTT knows nothing of Gatefold, so the reports of its events are declared here.
extension MQTTPublisher.Event: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .connected: .line(.notice, "Connected to the notification broker")
        case .disconnected(let cause):
            .counter("gatefold_notification_disconnections_total")
                .log(.warning, "No connection to the notification broker", ["cause": cause])
        case .published(let count): .counter("gatefold_notifications_total", ["result": "published"], by: count)
        case .dropped(let count): .counter("gatefold_notifications_total", ["result": "dropped"], by: count)
        case .rejected:
            .counter("gatefold_notifications_total", ["result": "failed"]).log(.error, "Notification not published")
        }
    }
}
