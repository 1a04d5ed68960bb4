import Crypto
import Foundation
package import Gatefold
package import Protections

/// Sends a publication's campaigns.
package struct PushOffice: Sendable {
    package let publication: PublicationID
    package let settings: PushSettings
    package let store: any PushTokenStore
    /// Beside this file are the locks of campaigns under way.
    package let statePath: String
    private let providers: ProviderTokens
    private let observe: @Sendable (PushEvent) -> Void
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep

    /// - Parameters:
    ///   - providers: those of the whole process.
    ///   - observe: told what became of each notification.
    package init(
        publication: PublicationID, settings: PushSettings, store: any PushTokenStore, statePath: String,
        providers: ProviderTokens = ProviderTokens(), observe: @escaping @Sendable (PushEvent) -> Void = { _ in },
        clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.publication = publication
        self.settings = settings
        self.store = store
        self.statePath = statePath
        self.providers = providers
        self.observe = observe
        self.clock = clock
        self.random = random
        self.sleep = sleep
    }

    /// A campaign that is not begun yet.
    ///
    /// - Parameter name: nil for the usual one.
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

    /// The campaign without an edition and a name of its own that was stopped before its end, unless it came too late to
    /// be of use, else a new one.
    package func generalCampaign(for app: PushApp, in environment: PushEnvironment?) async throws -> PushCampaign {
        let new = campaign(for: app, edition: nil, in: environment)
        return try await store.campaigns(in: publication, unfinished: true, limit: 1_000).first {
            $0.app == app.id && $0.environment == new.environment && CampaignName.isUsual($0) && !isOver($0)
        } ?? new
    }

    /// What the campaign sends.
    package func notification(
        for campaign: PushCampaign, to app: PushApp, payload: PushPayload? = nil
    ) -> APNsNotification {
        let expiration = settings.keepFor > 0 ? campaign.begun.addingTimeInterval(settings.keepFor) : nil
        return APNsNotification(
            topic: app.id, payload: payload ?? PushPayload(contentName: app.namesEdition ? campaign.edition : nil),
            expiration: expiration, collapseID: campaign.edition.map { Self.collapseID($0) })
    }

    /// Sends the campaign, or what is left of it.
    ///
    /// - Parameter trusting: whether tokens that APNs does not know are forgotten even where it knows none.
    /// - Returns: how far it came; it is not finished where the task was cancelled.
    /// - Throws: ``PushStop``, or what the store throws.
    package func send(
        _ campaign: PushCampaign, to app: PushApp, payload: PushPayload? = nil, trusting: Bool = false,
        progress: @escaping PushCampaignRunner.Progress = { _, _ in }
    ) async throws -> PushCampaign {
        let lock = try CampaignLock(campaign.name, beside: statePath)
        defer { withExtendedLifetime(lock) {} }
        let begun = try await store.begin(campaign)
        guard begun.publication == publication, begun.app == app.id, begun.environment == campaign.environment else {
            throw PushStop.otherCampaign(campaign.name)
        }
        let notification = notification(for: begun, to: app, payload: payload)
        let client = APNsClient(
            app.credentials, service: settings.service, in: begun.environment, providers: providers, clock: clock,
            random: random, sleep: sleep,
            didRetry: { [observe, publication] in observe(.notification(publication, app: app.id, .retried)) })
        let runner = PushCampaignRunner(
            store: store, limits: PushLimits(mostAtOnce: settings.mostAtOnce, perSecond: settings.perSecond),
            trusting: trusting, clock: clock, sleep: sleep, progress: progress,
            observe: { [observe, publication] in observe(.notification(publication, app: app.id, $0.result)) },
            send: { try await client.send(notification, to: $0.bytes) })
        return try await runner.run(begun)
    }

    /// Whether APNs would throw the campaign's notifications away: devices are told of what is new, not of what was.
    package func isOver(_ campaign: PushCampaign) -> Bool {
        clock.now.timeIntervalSince(campaign.begun) >= max(settings.keepFor, 3_600)
    }

    /// An edition's identifier may be longer than the 64 bytes that APNs takes.
    static func collapseID(_ edition: EditionID) -> String {
        let text = edition.rawValue
        return text.utf8.count <= 64 ? text : Array(SHA256.hash(data: Data(text.utf8))).hex
    }
}
