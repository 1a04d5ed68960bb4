import ArgumentParser
import Foundation
import Gatefold
import Push
import UnixSignals

struct PushSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a notification to every installation of an app.",
        discussion: """
            Without more words it wakes the apps, which then look at their shelf and download. A campaign has a name, \
            which unless said is made of the app and the edition, and tells everybody once: when it was stopped or killed, \
            the same command goes on where it was; when it is finished, the same command sends nothing. Without an \
            edition and a name, the last campaigns of that kind that were stopped are gone on with while they are of use, \
            and nothing else is sent; where there is none, a new one is begun for each app.

            An edition has to be in the publication's catalogue, where it has one: else nobody is told and the exit status is \
            64, or 69 where the catalogue has never been fetched.

            Of several apps each is told, whatever becomes of the others. The exit status is 75 when a campaign was \
            stopped and can be gone on with, 69 when APNs can not be reached, and 78 when APNs refuses an app's key, \
            certificate or notification; of several the gravest: 78, then 69, then 75.
            """)

    @OptionGroup var options: PushOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The edition that is new.")
    var edition: String?

    @Option(help: "The app's bundle identifier; all apps of the publication unless said.")
    var app: String?

    @Option(help: "Whose tokens: production or sandbox; the configured one unless said.")
    var environment: PushEnvironment?

    @Option(help: "A JSON file to send in place of the usual notification; needs --name.", completion: .file())
    var payload: String?

    @Option(help: "The campaign's name.")
    var name: String?

    @Flag(help: "Say what would be sent to how many, and send nothing.")
    var dryRun = false

    @Flag(
        help: """
            Remove tokens that APNs does not know even where it knows none of the first: for when the app, its environment \
            and its credentials are right, and somebody registered made-up tokens.
            """)
    var forgetUnknown = false

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
        let office = try options.office()
        if let edition = edition.flatMap({ EditionID($0) }) { try options.requireEdition(edition) }
        let apps = try chosen(office.settings)
        let payload = try readPayload()
        let campaigns = try await campaigns(for: apps, office)
        guard !dryRun else {
            for (campaign, app) in campaigns { try await describe(campaign, app, payload, office) }
            return
        }
        // Before any is sent: those after one that is stopped are gone on with, too.
        if isGeneral {
            for (campaign, _) in campaigns { _ = try await office.store.begin(campaign) }
        }
        let dispatch = CampaignDispatch(
            office: office, payload: payload, trusting: forgetUnknown, json: output.json)
        try await Self.untilSignalled { try await dispatch.send(campaigns) }
    }

    /// Whether nothing but the moment tells the campaign from the next.
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
            throw CommandFailure(.usage, "there is no app \(app); expected one of \(names)")
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
        for apps: [PushApp], _ office: PushOffice
    ) async throws -> [(campaign: PushCampaign, app: PushApp)] {
        if isGeneral {
            return try await office.generalCampaigns(for: apps, in: environment).compactMap { campaign in
                apps.first { $0.id == campaign.app }.map { (campaign, $0) }
            }
        }
        let edition = edition.flatMap { EditionID($0) }
        return apps.map { (office.campaign(for: $0, edition: edition, in: environment, name: name), $0) }
    }

    private func describe(
        _ campaign: PushCampaign, _ app: PushApp, _ payload: PushPayload?, _ office: PushOffice
    ) async throws {
        let known = try await office.store.campaigns(
            in: office.publication, unfinished: false, limit: 1_000
        )
        .first { $0.name == campaign.name }
        let place = known ?? campaign
        let ahead =
            place.finished == nil
            ? try await office.store.countPushTokens(of: app.id, in: place.environment, after: place.position) : 0
        let notification = office.notification(for: place, to: app, payload: payload)
        try output.print(
            CampaignReport(place, total: place.dealtWith + ahead),
            text: """
                \(place.name): \(ahead) notifications would be sent (\(place.environment.rawValue))
                push type  \(notification.payload.kind.rawValue)
                payload    \(String(decoding: notification.payload.bytes, as: UTF8.self))
                """)
    }

    /// Cancels the work at SIGINT and SIGTERM, and waits for it to end.
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
