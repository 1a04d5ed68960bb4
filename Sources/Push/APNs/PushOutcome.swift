package import Foundation

/// What became of one notification in the end.
package enum PushOutcome: Sendable, Equatable {
    case sent
    /// The token is of no more use since then; nil where APNs did not say when.
    case gone(since: Date?)
    /// APNs does not know such a token here.
    case badToken
    /// It is another app's token.
    case notForTopic
    /// APNs did not take it, again and again (429, 5xx). One answer does not tell whether that is about this token or about
    /// all.
    case notTaken(APNsReason)

    package var result: NotificationResult {
        switch self {
        case .sent: .sent
        case .gone, .badToken: .gone
        case .notForTopic, .notTaken: .failed
        }
    }
}

/// How a notification is counted.
package enum NotificationResult: String, Sendable, CaseIterable {
    case sent
    case failed
    /// Its token is of no more use.
    case gone
    /// It was sent again, because it was not taken or not answered.
    case retried
}
