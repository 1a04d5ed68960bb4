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
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep

    package init(
        publication: PublicationID, settings: PushSettings, store: any PushTokenStore, statePath: String,
        clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.publication = publication
        self.settings = settings
        self.store = store
        self.statePath = statePath
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

    /// The campaign that was stopped before its end and has no edition, else a new one.
    package func generalCampaign(for app: PushApp, in environment: PushEnvironment?) async throws -> PushCampaign {
        let new = campaign(for: app, edition: nil, in: environment)
        return try await store.campaigns(in: publication, limit: 100).first {
            $0.finished == nil && $0.edition == nil && $0.app == app.id && $0.environment == new.environment
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
    /// - Returns: how far it came; it is not finished where the task was cancelled.
    /// - Throws: ``PushStop``, or what the store throws.
    package func send(
        _ campaign: PushCampaign, to app: PushApp, payload: PushPayload? = nil,
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
            app.credentials, service: settings.service, in: begun.environment, clock: clock, random: random,
            sleep: sleep)
        let runner = PushCampaignRunner(
            store: store, limits: PushLimits(mostAtOnce: settings.mostAtOnce, perSecond: settings.perSecond),
            clock: clock, sleep: sleep, progress: progress,
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
