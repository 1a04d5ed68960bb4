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

extension PushEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .notification(let publication, let app, let result):
            .counter(
                "gatefold_push_notifications_total",
                ["publication": publication.rawValue, "app": app, "result": result.rawValue])
        case .began(let campaign):
            .campaign(of: campaign.publication, "begun")
                .log(.notice, "Push campaign started", ["campaign": campaign.name])
        case .finished(let campaign):
            .campaign(of: campaign.publication, "finished")
                .log(
                    .notice, "Push campaign finished",
                    [
                        "campaign": campaign.name, "sent": campaign.sent, "failed": campaign.failed,
                        "gone": campaign.gone,
                    ])
        case .droppedLate(let campaign):
            .campaign(of: campaign.publication, "dropped_late")
                .log(.warning, "Push campaign dropped: too late", ["campaign": campaign.name])
        case .stopped(let campaign, let cause, let willRetry):
            .campaign(of: campaign.publication, "stopped")
                .log(
                    .error, "Push campaign stopped",
                    ["campaign": campaign.name, "cause": cause, "will_retry": willRetry])
        case .storeFailed(let publication, let cause):
            .campaign(of: publication, "store_failed")
                .log(
                    .error, "Push campaigns not read or stored", ["publication": publication, "cause": cause])
        }
    }
}

extension EventReport {
    fileprivate static func campaign(of publication: PublicationID, _ result: String) -> EventReport {
        .counter("gatefold_push_campaigns_total", ["publication": publication.rawValue, "result": result])
    }
}
