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
            With --at, the systems' data of the present are evaluated at the other time. A state without periods, and a \
            system's own verdict, are those of the present only: a verdict that depends on them is `undecided`.
            Exits with 0 if the reader can read the edition, 1 if not, and 69 if the answer is not known: a system is \
            unavailable or cannot be searched, the verdict is `undecided`, or the systems that have the reader disagree.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "Evaluate dates, periods and the token at this time, such as 2026-11-28 or 2026-11-28T18:00:00Z.")
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
        let inspection = try ReaderInspection(
            chosen, in: read, state: state, revocations: revocations,
            at: at.flatMap { DateFormat.iso.date($0, isEnd: false) })
        let explanations = try await explanations(
            AuditedInspection(inspection, edition, audit.trail(read, in: state)))
        let reports = explanations.map { ExplanationReport($0) }
        try output.print(reports, text: reports.map(\.text).joined(separator: "\n\n"))
        switch Explanation.conclusion(of: explanations) {
        case .opens: break
        case .doesNotOpen: throw ExitCode(CommandFailure.Status.negativeResult.rawValue)
        case .unknown: throw ExitCode(CommandFailure.Status.unavailable.rawValue)
        }
    }

    private func explanations(_ examination: AuditedInspection) async throws -> [Explanation] {
        let service = examination.inspection.service
        if let token {
            let text = try StandardInput.argument(token)
            guard let session = service.sessionOfAnyToken(text) else {
                throw CommandFailure(.dataError, "not a token of \(service.publication.id)")
            }
            return [try await examination.explain(ExplanationSubject(session.subscriber, token: text, device: device))]
        }
        if let key {
            let name = backend ?? service.backend.name
            guard service.backend.handles(name) else {
                throw CommandFailure(.usage, "the publication does not use a backend \(name)")
            }
            let subscriber = Subscriber(backend: name, key: try StandardInput.argument(key))
            return [try await examination.explain(ExplanationSubject(subscriber, device: device))]
        }
        let identifier = try StandardInput.argument(names[0])
        guard let credentials = examination.inspection.credentials(finding: identifier) else {
            throw CommandFailure(.usage, "no sign-in accepts this identifier")
        }
        return try await examination.explain(credentials, identifier, device: device)
    }
}
