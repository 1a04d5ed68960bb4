import Foundation
package import Gatefold
package import Protections
import Synchronization

/// Tells apps of editions as they come out, and goes on after a restart with what was not told to the end.
package final class PublishedNotifier: Sendable {
    /// What happened, for the log.
    package enum Event: Sendable {
        case began(PushCampaign)
        case finished(PushCampaign)
        /// Too old to be of use to anybody.
        case droppedLate(PushCampaign)
        case stopped(campaign: String, cause: String, isTriedAgain: Bool)
        case storeFailed(cause: String)
    }

    private let clock: WallClock
    private let sleep: Sleep
    private let offices: @Sendable () -> [PushOffice]
    private let observe: @Sendable (Event) -> Void
    private let news: PublishedNews
    private let busy = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - news: where it hears of editions; it is the only one that listens there.
    ///   - offices: those of the configuration in force.
    package init(
        news: PublishedNews = PublishedNews(),
        clock: WallClock = .system, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        offices: @escaping @Sendable () -> [PushOffice], observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.clock = clock
        self.sleep = sleep
        self.offices = offices
        self.observe = observe
        self.news = news
    }

    /// Begins one campaign for each app: about the newest of the editions, because several that come out at once are one
    /// piece of news.
    ///
    /// - Returns: whether the campaigns, where there are to be any, are in the store.
    @discardableResult
    package func didPublish(_ publication: PublicationID, _ editions: [Edition]) async -> Bool {
        guard let newest = editions.max(by: { ($0.published, $0.id) < ($1.published, $1.id) }),
            let office = offices().first(where: { $0.publication == publication && $0.settings.onPublish })
        else { return true }
        do {
            for app in office.settings.apps {
                let begun = try await office.store.begin(office.campaign(for: app, edition: newest.id))
                if begun.finished == nil { observe(.began(begun)) }
            }
        } catch {
            observe(.storeFailed(cause: "\(type(of: error))"))
            return false
        }
        news.wake()
        return true
    }

    /// The news is in nobody's memory but this one, so it is not given up.
    private func persistently(_ publication: PublicationID, _ editions: [Edition]) async {
        while await !didPublish(publication, editions), !Task.isCancelled {
            guard (try? await sleep(10)) != nil else { return }
        }
    }

    /// Sends what there is to send until the task is cancelled.
    package func run() async {
        news.wake()
        await withDiscardingTaskGroup { group in
            for await item in news.items {
                if case .published(let publication, let editions) = item {
                    group.addTask { [self] in await persistently(publication, editions) }
                    continue
                }
                for office in offices() where office.settings.onPublish {
                    for (campaign, app) in await unfinished(office) where claim(campaign.name) {
                        group.addTask { [self] in
                            await work(campaign, app, office)
                            _ = busy.withLock { $0.remove(campaign.name) }
                        }
                    }
                }
            }
        }
    }

    private func claim(_ name: String) -> Bool { busy.withLock { $0.insert(name).inserted } }

    /// Those whose notification follows from the settings: what an operator made up is the operator's to finish.
    private func unfinished(_ office: PushOffice) async -> [(PushCampaign, PushApp)] {
        do {
            return try await office.store.campaigns(in: office.publication, limit: 100).compactMap { campaign in
                guard campaign.finished == nil, let app = office.settings.app(campaign.app),
                    let edition = campaign.edition,
                    campaign.name == CampaignName.of(edition, app: app.id, in: campaign.environment)
                else { return nil }
                return (campaign, app)
            }
        } catch {
            if !Task.isCancelled { observe(.storeFailed(cause: "\(type(of: error))")) }
            return []
        }
    }

    private func work(_ campaign: PushCampaign, _ app: PushApp, _ office: PushOffice) async {
        var wait: TimeInterval = 30
        while !Task.isCancelled {
            do {
                if office.isOver(campaign) {
                    var over = try await office.store.begin(campaign)
                    over.finished = clock.now
                    try await office.store.keep(over)
                    return observe(.droppedLate(over))
                }
                let sent = try await office.send(campaign, to: app)
                if sent.finished != nil { observe(.finished(sent)) }
                return
            } catch {
                if Task.isCancelled { return }
                let stop = error as? PushStop
                let isTriedAgain = stop?.isPassing ?? true
                observe(
                    .stopped(
                        campaign: campaign.name, cause: stop?.description ?? "\(type(of: error))",
                        isTriedAgain: isTriedAgain))
                guard isTriedAgain else { return }
                wait = min(wait * 2, 900)
                guard (try? await sleep(wait)) != nil else { return }
            }
        }
    }
}
