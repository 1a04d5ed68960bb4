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
            edition and a name, the last campaign of that kind that was stopped is gone on with while it is of use, else a \
            new one begun.

            The exit status is 75 when it was stopped and can be gone on with, 69 when APNs can not be reached, and 78 \
            when APNs refuses the app's key, certificate or notification.
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

    private struct Report: Encodable {
        let campaign: String
        let app: String
        let environment: String
        let edition: String?
        let total: Int
        let sent: Int
        let failed: Int
        let gone: Int
        let finished: Bool
    }

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
        let apps = try chosen(office.settings)
        let payload = try readPayload()
        for app in apps {
            let campaign = try await campaign(for: app, office)
            if dryRun {
                try await describe(campaign, app, payload, office)
            } else {
                try await send(campaign, app, payload, office)
            }
        }
    }

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

    private func campaign(for app: PushApp, _ office: PushOffice) async throws -> PushCampaign {
        let edition = edition.flatMap { EditionID($0) }
        if edition == nil && name == nil { return try await office.generalCampaign(for: app, in: environment) }
        return office.campaign(for: app, edition: edition, in: environment, name: name)
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
            report(place, total: place.dealtWith + ahead),
            text: """
                \(place.name): \(ahead) notifications would be sent (\(place.environment.rawValue))
                push type  \(notification.payload.kind.rawValue)
                payload    \(String(decoding: notification.payload.bytes, as: UTF8.self))
                """)
    }

    private func send(
        _ campaign: PushCampaign, _ app: PushApp, _ payload: PushPayload?, _ office: PushOffice
    ) async throws {
        let display = CampaignDisplay(isTerminal: isatty(STDERR_FILENO) == 1)
        let sent: PushCampaign
        do {
            sent = try await untilSignalled {
                try await office.send(
                    campaign, to: app, payload: payload, trusting: forgetUnknown
                ) { display.show($0, total: $1) }
            }
            display.clear()
        } catch let stop as PushStop {
            display.clear()
            throw CommandFailure(stop)
        }
        let isNew = abs(sent.begun.timeIntervalSince(campaign.begun)) < 0.001
        let counts = "\(sent.sent) sent, \(sent.failed) failed, \(sent.gone) gone"
        let text =
            sent.finished == nil
            ? "\(sent.name): stopped after \(sent.dealtWith): \(counts)"
            : "\(sent.name): \(counts)\(isNew ? "" : "; begun \(sent.begun.formatted(.iso8601))")"
        try output.print(report(sent, total: max(display.total, sent.dealtWith)), text: text)
        if sent.finished == nil {
            throw CommandFailure(.again, "the campaign was stopped; the same command goes on with it")
        }
    }

    /// Cancels the work at SIGINT and SIGTERM, and waits for it to end.
    private func untilSignalled(
        _ work: @escaping @Sendable () async throws -> PushCampaign
    ) async throws -> PushCampaign {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        let working = Task { try await work() }
        let listening = Task {
            for await _ in signals { working.cancel() }
        }
        defer { listening.cancel() }
        return try await working.value
    }

    private func report(_ campaign: PushCampaign, total: Int) -> Report {
        Report(
            campaign: campaign.name, app: campaign.app, environment: campaign.environment.rawValue,
            edition: campaign.edition?.rawValue, total: total, sent: campaign.sent, failed: campaign.failed,
            gone: campaign.gone, finished: campaign.finished != nil)
    }
}
