import Foundation
import Gatefold
import Logging
import Push
import ServiceLifecycle

/// Tells apps of the editions that come out, as long as the server runs.
struct PushService: Service {
    let notifier: PublishedNotifier

    init(
        news: PublishedNews, store: any PushTokenStore, statePath: String, publications: CurrentPublications,
        clock: WallClock,
        random: RandomSource, logger: Logger
    ) {
        notifier = PublishedNotifier(
            news: news, clock: clock,
            offices: {
                publications.value.push.map { publication, settings in
                    PushOffice(
                        publication: publication, settings: settings, store: store, statePath: statePath,
                        clock: clock, random: random)
                }
            },
            observe: { Self.report($0, to: logger) })
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [notifier] in await notifier.run() }
    }

    private static func report(_ event: PublishedNotifier.Event, to logger: Logger) {
        switch event {
        case .began(let campaign):
            logger.notice("push campaign begun", metadata: ["campaign": "\(campaign.name)"])
        case .finished(let campaign):
            logger.notice(
                "push campaign finished",
                metadata: [
                    "campaign": "\(campaign.name)", "sent": "\(campaign.sent)", "failed": "\(campaign.failed)",
                    "gone": "\(campaign.gone)",
                ])
        case .droppedLate(let campaign):
            logger.warning("push campaign dropped: too late", metadata: ["campaign": "\(campaign.name)"])
        case .stopped(let campaign, let cause, let isTriedAgain):
            logger.error(
                "push campaign stopped",
                metadata: ["campaign": "\(campaign)", "cause": "\(cause)", "tried again": "\(isTriedAgain)"])
        case .storeFailed(let cause):
            logger.error("push campaigns not read or kept", metadata: ["cause": "\(cause)"])
        }
    }
}
