import Foundation
package import Gatefold
package import Primitives
import Synchronization

/// A notifier that announces published editions to apps. After a restart it continues with unfinished campaigns.
package final class PublishedNotifier: Sendable {
    private let clock: WallClock
    private let sleep: Sleep
    private let campaignSenders: @Sendable () -> [PushCampaignSender]
    private let observe: @Sendable (PushEvent) -> Void
    /// The stream of wake-up signals. Each one means that there may be a campaign to continue.
    private let wakeups: AsyncStream<Void>
    private let wakeupContinuation: AsyncStream<Void>.Continuation
    private let busy = Mutex<Set<String>>([])

    /// - Parameter campaignSenders: Returns the push services of the current configuration.
    package init(
        clock: WallClock = .system, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        campaignSenders: @escaping @Sendable () -> [PushCampaignSender],
        observe: @escaping @Sendable (PushEvent) -> Void = { _ in }
    ) {
        self.clock = clock
        self.sleep = sleep
        self.campaignSenders = campaignSenders
        self.observe = observe
        (wakeups, wakeupContinuation) = AsyncStream.makeStream()
    }

    /// Begins one campaign per app about the newest of the editions, because several editions published together
    /// are one announcement.
    ///
    /// A repeated call with the same editions begins nothing new.
    ///
    /// - Returns: True if the campaigns, if any, are in the store, so that they are sent even if this process ends.
    package func didPublish(_ publication: PublicationID, _ editions: [Edition]) async -> Bool {
        guard let newest = editions.max(by: { ($0.published, $0.id) < ($1.published, $1.id) }),
            let campaignSender = campaignSenders().first(where: {
                $0.publication == publication && $0.settings.onPublish
            })
        else { return true }
        do {
            for app in campaignSender.settings.apps {
                let campaign = campaignSender.campaign(for: app, edition: newest.id)
                let begun = try await campaignSender.store.begin(campaign)
                let isNew = abs(begun.begun.timeIntervalSince(campaign.begun)) < 0.001
                if isNew && begun.finished == nil { observe(.began(begun)) }
            }
        } catch {
            if !Task.isCancelled { observe(.storeFailed(publication, cause: "\(type(of: error))")) }
            return false
        }
        wakeupContinuation.yield()
        return true
    }

    /// Checks the open campaigns again after a reload, because the new configuration may have fixed the cause of a
    /// stop.
    package func didReload() { wakeupContinuation.yield() }

    /// Sends all due campaigns until the task is cancelled.
    package func run() async {
        wakeupContinuation.yield()
        await withDiscardingTaskGroup { group in
            for await _ in wakeups {
                for campaignSender in campaignSenders() where campaignSender.settings.onPublish {
                    guard let unfinished = await unfinished(campaignSender) else {
                        group.addTask { [self] in
                            if (try? await sleep(10)) != nil { wakeupContinuation.yield() }
                        }
                        continue
                    }
                    for campaign in unfinished where claim(campaign.name) {
                        group.addTask { [self] in
                            let hasMore = await work(campaign)
                            _ = busy.withLock { $0.remove(campaign.name) }
                            // A reload that enabled the campaign again may have found it busy.
                            if hasMore { wakeupContinuation.yield() }
                        }
                    }
                }
            }
        }
    }

    /// The wait in seconds before an apparently expired campaign is checked again.
    private static let retryInterval: TimeInterval = 3_600

    private func claim(_ name: String) -> Bool { busy.withLock { $0.insert(name).inserted } }

    /// Returns the unfinished campaigns whose notification follows from the settings. The operator has to finish a
    /// campaign with a notification of the operator's own.
    ///
    /// - Returns: Nil when the campaigns could not be read.
    private func unfinished(_ campaignSender: PushCampaignSender) async -> [PushCampaign]? {
        do {
            let open = try await campaignSender.store.campaigns(
                in: campaignSender.publication, unfinished: true, limit: 1_000)
            return open.filter { campaignSender.settings.app($0.app) != nil && CampaignName.isEditionSpecific($0) }
        } catch {
            if !Task.isCancelled { observe(.storeFailed(campaignSender.publication, cause: "\(type(of: error))")) }
            return nil
        }
    }

    /// Returns the sender of the campaign in the current configuration; nil if the campaign should not be sent.
    private func sender(of campaign: PushCampaign) -> (campaignSender: PushCampaignSender, app: PushApp)? {
        guard
            let campaignSender = campaignSenders().first(where: {
                $0.publication == campaign.publication && $0.settings.onPublish
            }),
            let app = campaignSender.settings.app(campaign.app)
        else { return nil }
        return (campaignSender, app)
    }

    /// Sends the campaign until it ends. Each attempt uses the configuration that is current at that time.
    ///
    /// - Returns: True if the campaign was abandoned because that configuration does not send it.
    private func work(_ campaign: PushCampaign) async -> Bool {
        var wait: TimeInterval = 30
        var seemsExpired = false
        while !Task.isCancelled {
            guard let (campaignSender, app) = sender(of: campaign) else { return true }
            do {
                if campaignSender.isExpired(campaign) {
                    // The campaign is dropped permanently, so a clock that is temporarily ahead must not be the
                    // cause.
                    guard seemsExpired else {
                        seemsExpired = true
                        guard (try? await sleep(Self.retryInterval)) != nil else { return false }
                        continue
                    }
                    var expired = try await campaignSender.store.begin(campaign)
                    expired.finished = clock.now
                    try await campaignSender.store.save(expired)
                    observe(.droppedLate(expired))
                    return false
                }
                let sent = try await campaignSender.send(campaign, to: app)
                if sent.finished != nil { observe(.finished(sent)) }
                return false
            } catch {
                if Task.isCancelled { return false }
                let stop = error as? PushCampaignError
                let willRetry = stop?.isTemporary ?? true
                observe(
                    .stopped(
                        campaign, cause: stop?.description ?? "\(type(of: error))", willRetry: willRetry))
                guard willRetry else { return false }
                wait = min(wait * 2, 900)
                guard (try? await sleep(wait)) != nil else { return false }
            }
        }
        return false
    }
}
