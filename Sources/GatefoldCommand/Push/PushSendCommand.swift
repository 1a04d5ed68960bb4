import ArgumentParser
import Foundation
import Gatefold
import Push
import UnixSignals

struct PushSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a notification to every installation of an app.",
        discussion: """
            By default the notification wakes the apps, which then reload their shelf and download. A campaign \
            notifies every installation once. Its name consists of the app and the edition, unless --name is given. \
            The same command resumes a stopped campaign and sends nothing for a finished one. Without an edition and a \
            name, the command resumes the last stopped campaigns of that kind if they are recent enough. If there are \
            none, it starts a new campaign for each app.

            If the publication has a catalogue, the edition must be in it. Otherwise nothing is sent, and the exit \
            status is 64, or 69 if the catalogue was never fetched.

            Each app is notified, even if another one fails. The exit status is 75 if a campaign was stopped and can \
            be resumed, 69 if APNs is unreachable, and 78 if APNs rejects an app's key, certificate or notification. \
            If apps fail differently, the first of 78, 69 and 75 applies.
            """)

    @OptionGroup var options: PushOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "The new edition.")
    var edition: String?

    @Option(help: "The app's bundle identifier. Default: all apps of the publication.")
    var app: String?

    @Option(help: "The environment of the tokens: production or sandbox. Default: from the configuration.")
    var environment: PushEnvironment?

    @Option(help: "A JSON file to send instead of the standard notification; requires --name.", completion: .file())
    var payload: String?

    @Option(help: "The campaign's name.")
    var name: String?

    @Flag(help: "Print the notification and the number of recipients, without sending.")
    var dryRun = false

    @Flag(
        help: """
            Remove tokens unknown to APNs even if all of the first ones are unknown. Use it if the app, its \
            environment and its credentials are correct, and a client registered invented tokens.
            """)
    var removeUnknown = false

    func validate() throws {
        if payload != nil && name == nil { throw ValidationError("expected --name with --payload") }
        if let edition, EditionID(edition) == nil {
            throw ValidationError("expected an edition such as com.example.title.2026-11, not \(edition)")
        }
        if let name, name.isEmpty || name.utf8.count > 200 {
            throw ValidationError("expected a --name of 1 to 200 bytes")
        }
    }

    func run() async throws {
        let campaignSender = try options.campaignSender()
        if let edition = edition.flatMap({ EditionID($0) }) { try options.requireEdition(edition) }
        let apps = try chosen(campaignSender.settings)
        let payload = try readPayload()
        let campaigns = try await campaigns(for: apps, campaignSender)
        guard !dryRun else {
            for (campaign, app) in campaigns { try await describe(campaign, app, payload, campaignSender) }
            return
        }
        let dispatch = CampaignDispatch(
            campaignSender: campaignSender, payload: payload, forgetsUnknownTokens: removeUnknown, json: output.json)
        let begun = isGeneral ? campaigns.map(\.campaign) : []
        try await audit.trail(try options.configuration.read()).perform(
            .pushSend, of: campaigns.map { .campaign($0.campaign.name) }, in: campaignSender.publication,
            [("edition", edition), ("remove_unknown", removeUnknown ? "yes" : nil)],
            progress: { await Self.counts(of: $0, campaignSender) }
        ) {
            // All campaigns begin before the first is sent, so that a later run also resumes those after a stopped one.
            for campaign in begun { _ = try await campaignSender.store.begin(campaign) }
            try await Self.untilSignalled { try await dispatch.send(campaigns) }
        }
    }

    /// Returns the counts of a campaign for the audit log. A campaign that has stopped has sent a part of its notifications.
    private static func counts(
        of subject: AuditSubject?, _ campaignSender: PushCampaignSender
    ) async -> AuditDetails.Pairs {
        let known = try? await campaignSender.store.campaigns(
            in: campaignSender.publication, unfinished: false, limit: 1_000)
        guard let campaign = known?.first(where: { AuditSubject.campaign($0.name) == subject }) else { return [] }
        return [
            ("sent", String(campaign.sent)), ("failed", String(campaign.failed)), ("gone", String(campaign.gone)),
        ]
    }

    /// A Boolean value that indicates whether only the time distinguishes the campaign from the next.
    private var isGeneral: Bool { edition == nil && name == nil }

    private func chosen(_ settings: PushSettings) throws -> [PushApp] {
        guard let app else {
            if name != nil && settings.apps.count > 1 {
                throw CommandFailure(.usage, "expected --app with --name, because there are several apps")
            }
            return settings.apps
        }
        guard let found = settings.app(app) else {
            let names = settings.apps.map(\.id).joined(separator: ", ")
            throw CommandFailure(.usage, "no app \(app); expected one of \(names)")
        }
        return [found]
    }

    private func readPayload() throws -> PushPayload? {
        guard let payload else { return nil }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: payload)) else {
            throw CommandFailure(.noInput, "expected a readable file at \(payload)")
        }
        do {
            return try PushPayload(json: Array(data))
        } catch {
            throw CommandFailure(.dataError, "\(payload): \(error)")
        }
    }

    private func campaigns(
        for apps: [PushApp], _ campaignSender: PushCampaignSender
    ) async throws -> [(campaign: PushCampaign, app: PushApp)] {
        if isGeneral {
            return try await campaignSender.generalCampaigns(for: apps, in: environment).compactMap { campaign in
                apps.first { $0.id == campaign.app }.map { (campaign, $0) }
            }
        }
        let edition = edition.flatMap { EditionID($0) }
        return apps.map { (campaignSender.campaign(for: $0, edition: edition, in: environment, name: name), $0) }
    }

    private func describe(
        _ campaign: PushCampaign, _ app: PushApp, _ payload: PushPayload?, _ campaignSender: PushCampaignSender
    ) async throws {
        let known = try await campaignSender.store.campaigns(
            in: campaignSender.publication, unfinished: false, limit: 1_000
        )
        .first { $0.name == campaign.name }
        let place = known ?? campaign
        let ahead =
            place.finished == nil
            ? try await campaignSender.store.countPushTokens(of: app.id, in: place.environment, after: place.position)
            : 0
        let notification = campaignSender.notification(for: place, to: app, payload: payload)
        try output.print(
            CampaignReport(place, total: place.processedCount + ahead),
            text: """
                \(place.name): \(ahead) notifications would be sent (\(place.environment.rawValue))
                push type  \(notification.payload.kind.rawValue)
                payload    \(String(decoding: notification.payload.bytes, as: UTF8.self))
                """)
    }

    /// Cancels the work at SIGINT or SIGTERM, and waits for it to end.
    private static func untilSignalled(
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        let working = Task { try await work() }
        let listening = Task {
            for await _ in signals { working.cancel() }
        }
        defer { listening.cancel() }
        try await working.value
    }
}
