import ArgumentParser
import Foundation
import Gatefold
import Primitives
import Server
import State

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain why a reader can or cannot open an edition.",
        usage: """
            gatefold explain [<options>] <reader> <edition>
            gatefold explain [<options>] --key <key> <edition>
            gatefold explain [<options>] --token - <edition>
            """,
        discussion: """
            Makes the decision of the server for the reader, step by step: the reader, the login throttle, the \
            subscription, purchases, the policy, the catalogue and its dates, the subscriber system's own verdict, \
            devices, sessions, credentials, and the file. Each step has its values, their origin, and the remedy if it \
            fails. Nothing is changed or counted, and no session is opened. The subscriber systems are queried like for \
            a reader, with the limits of their configuration.
            A reader whom several systems know is explained once for each. A token has the exact session of an app; \
            without one, the step `sessions` can only say which sessions are ended. A backend that keeps a session of \
            its own, such as a web service, knows the subscription with a token only.
            Exits with 0 if the reader can read the edition, 1 if not, and 69 if a system is unavailable, so that the \
            answer is not known.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "Evaluate dates, periods and the catalogue at this time, such as 2026-11-28 or 2026-11-28T18:00:00Z.")
    var at: String?

    @Option(
        parsing: .unconditional,
        help: "In place of the reader: the backend's own key for the subscriber; - reads it from standard input.")
    var key: String?

    @Option(help: "With --key: the backend of the subscriber. Default: the publication's backend.")
    var backend: String?

    @Option(
        parsing: .unconditional, help: "In place of the reader: the token of the app; - reads it from standard input.")
    var token: String?

    @Option(help: "The device identifier that the app sends, for the limit of devices.")
    var device: String?

    @Argument(
        help: "The reader's sign-in identifier, which - reads from standard input, and the edition.")
    var names: [String] = []

    func validate() throws {
        guard key == nil || token == nil else { throw ValidationError("expected only one of --key and --token") }
        guard backend == nil || key != nil else { throw ValidationError("--backend requires --key") }
        let isNamed = key == nil && token == nil
        guard names.count == (isNamed ? 2 : 1) else {
            throw ValidationError(
                isNamed ? "expected a reader and an edition" : "expected an edition, and no reader besides the option")
        }
        if let at, DateFormat.iso.date(at, isEnd: false) == nil {
            throw ValidationError("expected --at as a date such as 2026-11-28 or 2026-11-28T18:00:00Z")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let edition = try EditionID.argument(names[names.count - 1])
        let state = try Bootstrap.existingStateStore(read)
        let revocations = try await RevocationLists.recorded(in: state)
        let inspection = try ReaderInspection(chosen, in: read, state: state, revocations: revocations)
        let timestamp = at.flatMap { DateFormat.iso.date($0, isEnd: false) }
        let explanations = try await explanations(inspection, edition, timestamp)
        // A reader who does not exist has no entry.
        for explanation in explanations {
            guard let reader = explanation.reader else { continue }
            try await audit.trail(read, in: state).record(
                .readerExplain, of: [.subscriber(reader)], in: chosen.publication.id,
                [("edition", edition.rawValue), ("verdict", explanation.verdict.reason?.rawValue ?? "granted")])
        }
        let reports = explanations.map { ExplanationReport($0) }
        try output.print(reports, text: reports.map(\.text).joined(separator: "\n\n"))
        if explanations.contains(where: \.opens) { return }
        let isUnknown = explanations.contains { explanation in
            switch explanation.verdict {
            case .unavailable, .undecided: true
            case .granted, .grantedInOutage, .rejected: false
            }
        }
        let status: CommandFailure.Status = isUnknown ? .unavailable : .negativeResult
        throw ExitCode(status.rawValue)
    }

    private func explanations(
        _ inspection: ReaderInspection, _ edition: EditionID, _ timestamp: Date?
    ) async throws -> [Explanation] {
        if let token {
            let text = try StandardInput.argument(token)
            guard let session = inspection.service.sessionOfAnyToken(text) else {
                throw CommandFailure(.dataError, "not a token of \(inspection.service.publication.id)")
            }
            let subject = ExplanationSubject(session.subscriber, token: text, device: device)
            return [try await inspection.explain(subject, edition, at: timestamp)]
        }
        if let key {
            let name = backend ?? inspection.service.backend.name
            guard inspection.service.backend.handles(name) else {
                throw CommandFailure(.usage, "the publication does not use a backend \(name)")
            }
            let subscriber = Subscriber(backend: name, key: try StandardInput.argument(key))
            return [
                try await inspection.explain(ExplanationSubject(subscriber, device: device), edition, at: timestamp)
            ]
        }
        let identifier = try StandardInput.argument(names[0])
        guard let lookup = try await inspection.lookUp(identifier) else {
            throw CommandFailure(.usage, "no sign-in accepts this identifier")
        }
        guard !lookup.subscribers.isEmpty else {
            return [
                Explanation.ofUnknownReader(
                    lookup, in: inspection.service.publication.id, edition, at: timestamp ?? WallClock.system.now,
                    isOtherTime: timestamp != nil)
            ]
        }
        var explanations: [Explanation] = []
        for subscriber in lookup.subscribers {
            let subject = ExplanationSubject(subscriber, identifier: identifier, device: device)
            explanations.append(try await inspection.explain(subject, edition, at: timestamp))
        }
        return explanations
    }
}
