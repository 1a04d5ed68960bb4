import Gatefold
import Logging
import Metrics
import Push

/// Turns what became of notifications and their campaigns into metrics and log lines.
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
            logger.notice("push campaign begun", metadata: ["campaign": "\(campaign.name)"])
        case .finished(let campaign):
            count(campaign.publication, "finished")
            logger.notice(
                "push campaign finished",
                metadata: [
                    "campaign": "\(campaign.name)", "sent": "\(campaign.sent)", "failed": "\(campaign.failed)",
                    "gone": "\(campaign.gone)",
                ])
        case .droppedLate(let campaign):
            count(campaign.publication, "dropped_late")
            logger.warning("push campaign dropped: too late", metadata: ["campaign": "\(campaign.name)"])
        case .stopped(let campaign, let cause, let isTriedAgain):
            count(campaign.publication, "stopped")
            logger.error(
                "push campaign stopped",
                metadata: ["campaign": "\(campaign.name)", "cause": "\(cause)", "tried again": "\(isTriedAgain)"])
        case .storeFailed(let publication, let cause):
            count(publication, "store_failed")
            logger.error(
                "push campaigns not read or kept", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private static func count(_ publication: PublicationID, _ result: String) {
        Counter(
            label: "gatefold_push_campaigns_total",
            dimensions: [("publication", publication.rawValue), ("result", result)]
        ).increment()
    }
}
