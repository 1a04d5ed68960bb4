import Foundation
import Gatefold
import Primitives
import Push
import ServiceLifecycle

/// A service that notifies apps of new editions while the server runs.
struct PushService: Service {
    let notifier: PublishedNotifier

    init(
        eventRelay: PublishedEventRelay, store: any PushTokenStore & PushCampaignStore & LeaseStore,
        publications: ReloadableSnapshot, clock: WallClock, random: RandomSource,
        observe: @escaping @Sendable (PushEvent) -> Void
    ) {
        let providers = ProviderTokens()
        notifier = PublishedNotifier(
            clock: clock,
            campaignSenders: {
                publications.value.push.map { publication, settings in
                    PushCampaignSender(
                        publication: publication, settings: settings, store: store, providers: providers,
                        observe: observe, clock: clock, random: random)
                }
            },
            observe: observe)
        // The reference is weak, because the notifier's own values retain the sender of the events.
        eventRelay.listen { [weak notifier] in await notifier?.didPublish($0, $1) ?? false }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [notifier] in await notifier.run() }
    }
}
