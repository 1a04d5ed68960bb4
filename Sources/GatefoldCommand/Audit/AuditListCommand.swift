import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries of the audit log, newest first.",
        discussion: """
            Prints one line per entry, separated by tabs: number, time, actor, action, subject, publication, reason and \
            details. With --json, each line is an object. If there may be more, the last line on standard error names \
            the option for the next page.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Only entries from this day or time in UTC on, as 2026-11-28 or 2026-11-28T08:00:00Z.")
    var since: Timestamp?

    @Option(help: "Only entries before this day or time.")
    var until: Timestamp?

    @Option(help: "Only entries whose actor begins with this text, such as ada or ada@console.")
    var actor: String?

    @Option(help: "Only actions that begin with this text, such as token.revoke or token.")
    var action: String?

    @Option(help: "Only this subject, such as subscriber:00112233445566.")
    var subject: String?

    @Option(
        help: """
            Only the person that was entered as this identifier when no pseudonym was known; - reads it from standard \
            input.
            """)
    var identifier: String?

    @Option(help: "Only this delivery, as STORE/TRANSACTION.")
    var delivery: String?

    @Option(name: .shortAndLong, help: "Only this publication.")
    var publication: String?

    @Option(help: "Start before the entry with this number.")
    var before: Int64?

    @Option(help: "The maximum number of entries, 1 to 10000.")
    var limit = 100

    /// A day or a time in UTC.
    struct Timestamp: ExpressibleByArgument {
        let date: Date

        init?(argument: String) {
            let day = Date.ISO8601FormatStyle().year().month().day()
            let style = argument.contains("T") ? Date.ISO8601FormatStyle() : day
            // A parser ignores what follows a date, and accepts a 30th of February.
            guard let date = try? style.parse(argument), style.format(date) == argument else { return nil }
            self.date = date
        }
    }

    func validate() throws {
        if !(1...10_000).contains(limit) { throw ValidationError("expected --limit from 1 to 10000") }
        guard [subject, identifier, delivery].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("expected one of --subject, --identifier and --delivery")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        let key = read.state.pseudonymKey
        let entered = try identifier.map { AuditSubject.identifier(try StandardInput.argument($0), key).description }
        let subject = self.subject ?? entered ?? delivery.map { AuditSubject.delivery($0, key).description }
        let filter = AuditQuery.Filter(
            since: since?.date, until: until?.date, actor: actor, action: action, subject: subject,
            publication: publication)
        let entries = try await Bootstrap.existingStateStore(read).page(
            AuditQuery(.newestFirst(before: before), limit: limit, filter: filter))
        for entry in entries {
            let line = AuditLine(entry)
            print(output.json ? try line.json() : line.text)
        }
        if entries.count == limit, let last = entries.last {
            FileHandle.standardError.write(Data("continue with --before \(last.sequence)\n".utf8))
        }
    }
}
