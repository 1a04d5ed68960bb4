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
        let observe: @Sendable (PushEvent) -> Void = { PushEventReporter.report($0, to: logger) }
        let providers = ProviderTokens()
        notifier = PublishedNotifier(
            clock: clock,
            offices: {
                publications.value.push.map { publication, settings in
                    PushOffice(
                        publication: publication, settings: settings, store: store, statePath: statePath,
                        providers: providers, observe: observe, clock: clock, random: random)
                }
            },
            observe: observe)
        // Weak: whoever tells the news is held by what the notifier holds.
        news.listen { [weak notifier] in await notifier?.didPublish($0, $1) ?? false }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [notifier] in await notifier.run() }
    }
}
