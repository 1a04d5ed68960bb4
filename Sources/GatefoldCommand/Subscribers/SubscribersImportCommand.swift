public import ArgumentParser
public import Backends
import CSV
import Foundation
import Gatefold
import PasswordHashing
import Resilience
import Server

struct SubscribersImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import subscribers from a CSV file.",
        discussion: """
            The first row names the columns: identifier (or the publication's own name for it, see \
            --identifier-column), password (plain) or password_hash (as crypt(3) writes it), state, message, \
            all_editions (true or false), periods (2026-01-01/2026-12-31;2027-01-01/, where the last has no end), \
            editions (id;id), categories (scheme=value;…). A row replaces the stored values of the columns in the file.

            If all rows are valid, they take effect together. Otherwise nothing changes. With --resumable, valid rows \
            are committed in batches, bad rows are skipped, and the same command resumes a stopped import. Bad rows \
            are listed by line number and reason, and the exit status is then 65.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The CSV file.", completion: .file(extensions: ["csv", "tsv"]))
    var file: String

    @Flag(help: "Commit in batches, and resume where an earlier run stopped.")
    var resumable = false

    @Flag(help: "Remove subscribers that are not in the file, except those who registered themselves.")
    var replace = false

    @Option(help: "The name of the identifier's column, such as email.")
    var identifierColumn = "identifier"

    @Option(help: "The separator: comma, semicolon or tab.")
    var separator = SeparatorName.comma

    @Option(
        help: "The hash of plain passwords: slow (yescrypt) or keyed (fast, with the secret passwords.pepper).")
    var passwordFormat = SubscriberImport.PasswordFormat.slow

    enum SeparatorName: String, ExpressibleByArgument, CaseIterable {
        case comma, semicolon, tab

        var format: CSVFormat.Separator {
            switch self {
            case .comma: .comma
            case .semicolon: .semicolon
            case .tab: .tab
            }
        }
    }

    private struct Report: Encodable {
        struct Issue: Encodable {
            let line: Int
            let column: String?
            let reason: String
        }

        let committed: Bool
        let rows: Int
        let added: Int
        let replaced: Int
        let removed: Int
        let badRows: Int
        let resumedAfter: Int
        let issues: [Issue]
    }

    func run() async throws {
        let opened = try await database.open()
        let options = SubscriberImport.Options(
            mode: resumable ? .resumable() : .allOrNothing, isReplacing: replace, identifierColumn: identifierColumn,
            separator: separator.format, passwordFormat: passwordFormat,
            foldsProof: opened.kind.registry.proof?.folds ?? false)
        let work = SubscriberImport(
            into: opened.database, hasher: try opened.configuration.passwords.hasher(), options: options
        ) { await opened.didChange(.all) }
        let bar = ProgressBar(isShown: isatty(STDERR_FILENO) == 1)
        let report: ImportReport
        do {
            report = try await audit.trail(opened.configuration).perform(
                .subscriberImport, of: [.backend(opened.kind.backend)], [("replace", replace ? "yes" : nil)],
                outcome: { (report: ImportReport) -> AuditDetails.Pairs in
                    [
                        ("added", String(report.added)), ("replaced", String(report.replaced)),
                        ("removed", String(report.removed)), ("bad_rows", String(report.badRows)),
                        ("committed", report.isCommitted ? "yes" : "no"),
                    ]
                }
            ) { try await work.run(file: file) { progress in bar.show(progress) } }
            bar.clear()
        } catch let error as ImportError {
            bar.clear()
            if case .unreadableFile = error { throw CommandFailure(.noInput, "\(error)") }
            if case .anotherImport = error { throw CommandFailure(.unavailable, "\(error)") }
            if case .cannotLock = error { throw CommandFailure(.cannotCreate, "\(error)") }
            if case .unknownColumn = error {
                throw CommandFailure(.dataError, "\(error); see --identifier-column and --separator")
            }
            throw CommandFailure(.dataError, "\(error)")
        } catch {
            bar.clear()
            if error is BootstrapError { throw error }
            throw CommandFailure(.unavailable, "\(error)")
        }
        try notify(report)
        if report.badRows > 0 { throw ExitCode(CommandFailure.Status.dataError.rawValue) }
    }

    private func notify(_ report: ImportReport) throws {
        for issue in report.issues {
            FileHandle.standardError.write(Data("\(file): \(issue)\n".utf8))
        }
        if report.issues.count < report.badRows {
            FileHandle.standardError.write(Data("… and \(report.badRows - report.issues.count) more\n".utf8))
        }
        let summary =
            report.isCommitted
            ? "\(report.rows) rows read: \(report.added) subscribers added, \(report.replaced) replaced, "
                + "\(report.removed) removed, \(report.badRows) bad rows"
                + (report.resumedAfter > 0 ? "; resumed after row \(report.resumedAfter)" : "")
            : "\(report.rows) rows read, \(report.badRows) bad: nothing was changed"
        try output.print(
            Report(
                committed: report.isCommitted, rows: report.rows, added: report.added, replaced: report.replaced,
                removed: report.removed, badRows: report.badRows, resumedAfter: report.resumedAfter,
                issues: report.issues.map { Report.Issue(line: $0.line, column: $0.column, reason: $0.reason) }),
            text: summary)
    }
}

extension SubscriberImport.PasswordFormat: ExpressibleByArgument {}
