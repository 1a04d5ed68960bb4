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
    /// APNs did not take it this time, which is about this token only.
    case busy
    /// The service failed, again and again.
    case serverFailed(APNsReason)
}
