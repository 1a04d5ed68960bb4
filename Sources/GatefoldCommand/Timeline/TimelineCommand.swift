import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct TimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Show what happened to a reader, newest first. Exits with 1 if nothing is recorded.",
        discussion: """
            Shows sign-ins, refused calls with their reasons, devices, changes of the subscription, purchases, edition \
            credentials, refused downloads, notifications, and what the staff changed. Prints one line per item, separated by \
            tabs: time, kind, publication and details. If there are more, the last line on standard error names the option \
            for the next page.

            A sign-in with an identifier that belongs to no known reader is found by this identifier as it was typed.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var reader: ReaderOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "Start before this item, as named by the previous page.")
    var before: String?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 50

    func validate() throws {
        if !(1...1_000).contains(limit) { throw ValidationError("expected --limit from 1 to 1000") }
        if let before, TimelineCursor(before) == nil {
            throw ValidationError("expected --before as named by the previous page")
        }
    }

    @Flag(help: "Show also what the staff looked at: actions that change nothing, such as reader.show.")
    var reads = false

    private struct Report: Encodable {
        let readers: [NamedReader]
        let items: [TimelineLine]
        /// The value of `--before` for the next page.
        let next: String?
    }

    func run() async throws {
        let read = try configuration.read()
        let state = try Bootstrap.existingStateStore(read)
        let found = try await reader.find(read, in: state)
        let page = try await ReaderTimeline(state).page(
            of: found.reader, after: before.flatMap { TimelineCursor($0) }, limit: limit,
            includesReads: reads)
        if page.items.isEmpty {
            let rest = reads ? "" : ", apart from what --reads shows"
            throw CommandFailure(.negativeResult, "nothing is recorded about this reader" + rest)
        }
        try await audit.trail(read, in: state).record(.timelineShow, of: found.subjects)
        let report = Report(
            readers: found.named, items: page.items.map { TimelineLine($0) }, next: page.next?.description)
        try output.print(report, text: report.items.map(\.text).joined(separator: "\n"))
        if let next = report.next, !output.json {
            FileHandle.standardError.write(Data("continue with --before \(next)\n".utf8))
        }
    }
}
