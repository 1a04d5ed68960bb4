import Gatefold
import Logging
import Metrics
import Push

/// The reporter that converts events of push notifications and their campaigns into metrics and log lines.
enum PushEventReporter {
    static func report(_ event: PushEvent, to logger: Logger) {
        switch event {
        case .notification(let publication, let app, let result):
            Counter(
                label: "gatefold_push_notifications_total",
                dimensions: [("publication", publication.rawValue), ("app", app), ("result", result.rawValue)]
            ).increment()
        case .began(let campaign):
            count(campaign.publication, "begun")
            logger.notice("Push campaign started", metadata: ["campaign": "\(campaign.name)"])
        case .finished(let campaign):
            count(campaign.publication, "finished")
            logger.notice(
                "Push campaign finished",
                metadata: [
                    "campaign": "\(campaign.name)", "sent": "\(campaign.sent)", "failed": "\(campaign.failed)",
                    "gone": "\(campaign.gone)",
                ])
        case .droppedLate(let campaign):
            count(campaign.publication, "dropped_late")
            logger.warning("Push campaign dropped: too late", metadata: ["campaign": "\(campaign.name)"])
        case .stopped(let campaign, let cause, let willRetry):
            count(campaign.publication, "stopped")
            logger.error(
                "Push campaign stopped",
                metadata: ["campaign": "\(campaign.name)", "cause": "\(cause)", "will_retry": "\(willRetry)"])
        case .storeFailed(let publication, let cause):
            count(publication, "store_failed")
            logger.error(
                "Push campaigns not read or stored", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private static func count(_ publication: PublicationID, _ result: String) {
        Counter(
            label: "gatefold_push_campaigns_total",
            dimensions: [("publication", publication.rawValue), ("result", result)]
        ).increment()
    }
}
