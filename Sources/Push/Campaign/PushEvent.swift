package import Gatefold

/// An event of notifications and campaigns, for logs and metrics. It holds no token.
package enum PushEvent: Sendable {
    case notification(PublicationID, app: String, NotificationResult)
    case began(PushCampaign)
    case finished(PushCampaign)
    /// The campaign was dropped because it is too old to be useful.
    case droppedLate(PushCampaign)
    case stopped(PushCampaign, cause: String, willRetry: Bool)
    /// Campaigns could not be read or begun. The operation is retried.
    case storeFailed(PublicationID, cause: String)
}
