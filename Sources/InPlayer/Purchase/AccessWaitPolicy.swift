/// The settings of the wait for access after a receipt was submitted.
public struct AccessWaitPolicy: Sendable {
    /// The settings of notifications, or nil to poll only. Polling also runs together with notifications.
    public var notifications: NotificationSettings?
    /// The minimum pause in seconds before a query. The pause doubles with each query up to ``maxPause``.
    /// Defaults: 1 s and 15 s.
    public var minPause: Double = 1
    public var maxPause: Double = 15
    /// The maximum wait in seconds. Default: 120 s.
    public var timeout: Double = 120

    private init(_ notifications: NotificationSettings?) {
        self.notifications = notifications
    }

    /// Polling with increasing pauses.
    public static var polling: AccessWaitPolicy { AccessWaitPolicy(nil) }

    /// Returns a wait for a notification, with polling in addition because a notification can be lost.
    public static func notified(_ settings: NotificationSettings = NotificationSettings()) -> AccessWaitPolicy {
        AccessWaitPolicy(settings)
    }
}
