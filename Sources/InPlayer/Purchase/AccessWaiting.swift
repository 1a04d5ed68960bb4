/// How access is waited for after a receipt was taken in.
public struct AccessWaiting: Sendable {
    /// Whether notifications are listened to beside asking again and again.
    public var notifications: NotificationSettings?
    /// Before the first and before the last question, in seconds; between them the time doubles.
    public var shortestPause: Double = 1
    public var longestPause: Double = 15
    /// The longest that is waited, in seconds.
    public var longest: Double = 120

    private init(_ notifications: NotificationSettings?) {
        self.notifications = notifications
    }

    /// Asks again and again, less and less often.
    public static var polling: AccessWaiting { AccessWaiting(nil) }

    /// Is told by a notification; asks as well, because one can get lost.
    public static func notified(_ settings: NotificationSettings = NotificationSettings()) -> AccessWaiting {
        AccessWaiting(settings)
    }
}
