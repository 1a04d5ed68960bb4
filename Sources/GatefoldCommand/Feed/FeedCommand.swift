import ArgumentParser
import Backends
import Foundation
import Server

struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Look after the feeds of subscribers.",
        subcommands: [FeedCheckCommand.self, FeedStatusCommand.self])
}

/// Which feed is meant.
struct FeedOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Argument(help: "The backend's name; needed where several are of the kind feed.")
    var backend: String?

    func kind() throws -> (name: String, kind: FeedBackendKind) {
        let feeds = try Assembly.plan(try configuration.read()).entries.compactMap { entry in
            (entry.kind as? FeedBackendKind).map { (name: entry.name, kind: $0) }
        }
        if let backend {
            guard let chosen = feeds.first(where: { $0.name == backend }) else {
                throw CommandFailure(.usage, "there is no backend \(backend) of the kind feed")
            }
            return chosen
        }
        guard let only = feeds.first, feeds.count == 1 else {
            throw CommandFailure(.usage, "expected a backend, one of \(feeds.map(\.name).joined(separator: ", "))")
        }
        return only
    }
}

struct FeedCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fetch a feed, and say what would become of it; change nothing.",
        discussion: """
            Bad rows are listed by line number and reason, without anything that stands in them. The exit status is 0 when \
            the feed would be taken, 69 when it can not be fetched and 65 when it would be refused.
            """)

    @OptionGroup var feed: FeedOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        struct Issue: Encodable {
            let line: Int
            let reason: String
        }

        let backend: String
        let accepted: Bool
        let reason: String?
        let rows: Int?
        let readers: Int?
        let badRows: Int?
        let ambiguousIdentifiers: Int?
        let rowsInForce: Int?
        let issues: [Issue]
    }

    func run() async throws {
        let (name, kind) = try feed.kind()
        let found: FeedInspection
        do {
            found = try await kind.inspect()
        } catch {
            throw CommandFailure(.unavailable, "\(error)")
        }
        for issue in found.issues {
            FileHandle.standardError.write(Data("\(name): \(issue)\n".utf8))
        }
        let report = Report(
            backend: name, accepted: found.feed != nil, reason: found.refusal?.description, rows: found.feed?.rows,
            readers: found.feed?.readers, badRows: found.feed?.badRows,
            ambiguousIdentifiers: found.feed?.ambiguous, rowsInForce: found.rowsBefore,
            issues: found.issues.map { Report.Issue(line: $0.line, reason: $0.reason) })
        try output.print(report, text: text(name, found))
        if let refusal = found.refusal {
            let status: CommandFailure.Status = refusal.isOutage ? .unavailable : .dataError
            throw ExitCode(status.rawValue)
        }
    }

    private func text(_ name: String, _ found: FeedInspection) -> String {
        let before = found.rowsBefore.map { "\($0) rows" } ?? "none"
        guard let feed = found.feed else {
            return """
                \(name): would be refused: \(found.refusal?.description ?? "")
                in force   \(before)
                """
        }
        return """
            \(name): would be taken
            rows       \(feed.rows)
            readers    \(feed.readers)
            bad rows   \(feed.badRows)
            ambiguous  \(feed.ambiguous) identifiers that are not one reader's
            in force   \(before)
            """
    }
}

struct FeedStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say which feed is in force, and how the last fetch went.")

    @OptionGroup var feed: FeedOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let backend: String
        let rows: Int?
        let readers: Int?
        let loadedAt: Date?
        let outcome: String?
        let reason: String?
        let triedAt: Date?
        let succeededAt: Date?
        let failures: Int
    }

    func run() async throws {
        let (name, kind) = try feed.kind()
        let (status, loaded) = (kind.status(), kind.loaded())
        let report = Report(
            backend: name, rows: loaded?.rows, readers: loaded?.readers, loadedAt: loaded?.loadedAt,
            outcome: status?.outcome?.rawValue, reason: status?.reason, triedAt: status?.triedAt,
            succeededAt: status?.succeededAt, failures: status?.failures ?? 0)
        var lines = [name]
        lines.append(
            loaded.map {
                "in force   \($0.rows) rows of \($0.readers) readers, loaded \($0.loadedAt.formatted(.iso8601))"
            } ?? "in force   none: readers can not be answered")
        if let outcome = status?.outcome, let tried = status?.triedAt {
            lines.append("last try   \(outcome.rawValue), \(tried.formatted(.iso8601))")
        } else {
            lines.append("last try   none")
        }
        if let reason = status?.reason { lines.append("because    \(reason)") }
        if let status, status.failures > 0 { lines.append("failures   \(status.failures) in a row") }
        try output.print(report, text: lines.joined(separator: "\n"))
    }
}
