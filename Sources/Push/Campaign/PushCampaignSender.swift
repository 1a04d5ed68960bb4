import Crypto
import Foundation
package import Gatefold
package import Primitives

/// The sender of a publication's campaigns.
package struct PushCampaignSender: Sendable {
    package let publication: PublicationID
    package let settings: PushSettings
    package let store: any PushTokenStore & PushCampaignStore & LeaseStore
    private let providers: ProviderTokens
    private let observe: @Sendable (PushEvent) -> Void
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep

    /// - Parameters:
    ///   - providers: The provider tokens of the whole process.
    ///   - observe: Receives the outcome of each notification.
    package init(
        publication: PublicationID, settings: PushSettings, store: any PushTokenStore & PushCampaignStore & LeaseStore,
        providers: ProviderTokens = ProviderTokens(), observe: @escaping @Sendable (PushEvent) -> Void = { _ in },
        clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.publication = publication
        self.settings = settings
        self.store = store
        self.providers = providers
        self.observe = observe
        self.clock = clock
        self.random = random
        self.sleep = sleep
    }

    /// Returns a new campaign, which is not begun yet.
    ///
    /// - Parameter name: The name of the campaign; nil for the default name.
    package func campaign(
        for app: PushApp, edition: EditionID?, in environment: PushEnvironment? = nil, name: String? = nil
    ) -> PushCampaign {
        let environment = environment ?? settings.environment
        let usual =
            edition.map { CampaignName.of($0, app: app.id, in: environment) }
            ?? CampaignName.at(clock.now, app: app.id, in: environment)
        return PushCampaign(
            name: name ?? usual, publication: publication, app: app.id, environment: environment, edition: edition,
            begun: clock.now)
    }

    /// Returns the campaigns to send to the given apps, without an edition and a name of their own. These are the
    /// stopped campaigns, unless they are too late to be useful. Only if there are none, each app gets a new
    /// campaign. A campaign that stopped for one app therefore continues, and the readers of another app are not
    /// notified again.
    ///
    /// - Returns: At most one campaign per app, in the order of the apps. New ones are not begun yet.
    package func generalCampaigns(
        for apps: [PushApp], in environment: PushEnvironment?
    ) async throws -> [PushCampaign] {
        let environment = environment ?? settings.environment
        let open = try await store.campaigns(in: publication, unfinished: true, limit: 1_000).filter {
            $0.environment == environment && CampaignName.isUsual($0) && !isExpired($0)
        }
        let stopped = apps.compactMap { app in open.first { $0.app == app.id } }
        return stopped.isEmpty ? apps.map { campaign(for: $0, edition: nil, in: environment) } : stopped
    }

    /// Returns the notification that the campaign sends.
    package func notification(
        for campaign: PushCampaign, to app: PushApp, payload: PushPayload? = nil
    ) -> APNsNotification {
        let expiration = settings.timeToLive > 0 ? campaign.begun.addingTimeInterval(settings.timeToLive) : nil
        return APNsNotification(
            topic: app.id, payload: payload ?? PushPayload(contentName: app.includesEdition ? campaign.edition : nil),
            expiration: expiration, collapseID: campaign.edition.map { Self.collapseID($0) })
    }

    /// Sends the campaign, or its remaining part.
    ///
    /// - Parameter forgetsUnknownTokens: A Boolean value that indicates whether unknown tokens are deleted even if APNs knows
    ///   no token.
    /// - Returns: The progress of the campaign. It is unfinished if the task was cancelled.
    /// - Throws: ``PushCampaignError``, or the error of the store.
    package func send(
        _ campaign: PushCampaign, to app: PushApp, payload: PushPayload? = nil, forgetsUnknownTokens: Bool = false,
        progress: @escaping PushCampaignRunner.Progress = { _, _ in }
    ) async throws -> PushCampaign {
        let sent = try await store.withLease(Self.lease(of: campaign)) { lease in
            try await send(
                campaign, to: app, payload: payload, forgetsUnknownTokens: forgetsUnknownTokens, under: lease,
                progress: progress)
        }
        guard let sent else { throw PushCampaignError.alreadyRunning(campaign.name) }
        return sent
    }

    /// Returns the name of the lease under which one process sends the campaign.
    static func lease(of campaign: PushCampaign) -> String { "push campaign \(campaign.name)" }

    private func send(
        _ campaign: PushCampaign, to app: PushApp, payload: PushPayload?, forgetsUnknownTokens: Bool,
        under lease: Lease, progress: @escaping PushCampaignRunner.Progress
    ) async throws -> PushCampaign {
        let begun = try await store.begin(campaign)
        guard begun.publication == publication, begun.app == app.id, begun.environment == campaign.environment else {
            throw PushCampaignError.otherCampaign(campaign.name)
        }
        let notification = notification(for: begun, to: app, payload: payload)
        let client = APNsClient(
            app.credentials, service: settings.service, in: begun.environment, providers: providers, clock: clock,
            random: random, sleep: sleep,
            didRetry: { [observe, publication] in observe(.notification(publication, app: app.id, .retried)) })
        let runner = PushCampaignRunner(
            store: store, limits: PushLimits(maxConcurrent: settings.maxConcurrent, perSecond: settings.perSecond),
            forgetsUnknownTokens: forgetsUnknownTokens, clock: clock, sleep: sleep, progress: progress,
            observe: { [observe, publication] in observe(.notification(publication, app: app.id, $0.result)) },
            send: {
                guard lease.isHeld else { throw PushCampaignError.alreadyRunning(campaign.name) }
                return try await client.send(notification, to: $0.bytes)
            })
        return try await runner.run(begun)
    }

    /// Returns whether the campaign has expired: APNs would discard its notifications, and devices should learn
    /// only of new editions.
    package func isExpired(_ campaign: PushCampaign) -> Bool {
        clock.now.timeIntervalSince(campaign.begun) >= max(settings.timeToLive, 3_600)
    }

    /// Returns a collapse identifier within the 64 bytes that APNs accepts. An edition's identifier may be longer.
    static func collapseID(_ edition: EditionID) -> String {
        let text = edition.rawValue
        return text.utf8.count <= 64 ? text : Array(SHA256.hash(data: Data(text.utf8))).hex
    }
}
