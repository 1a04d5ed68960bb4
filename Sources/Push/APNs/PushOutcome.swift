package import Foundation

/// The final outcome of a notification.
package enum PushOutcome: Sendable, Equatable {
    case sent
    /// The token is invalid since the given time; nil if APNs did not report a time.
    case gone(since: Date?)
    /// APNs does not know the token in this environment.
    case badToken
    /// The token belongs to another app.
    case notForTopic
    /// APNs repeatedly did not accept the notification (429, 5xx). A single response does not show whether the
    /// cause is this token or affects all tokens.
    case notAccepted(APNsReason)

    package var result: NotificationResult {
        switch self {
        case .sent: .sent
        case .gone, .badToken: .gone
        case .notForTopic, .notAccepted: .failed
        }
    }
}

/// The result of a notification for metrics.
package enum NotificationResult: String, Sendable, CaseIterable {
    case sent
    case failed
    /// The token is invalid.
    case gone
    /// The notification was sent again, because it was not accepted or got no response.
    case retried
}
