import ArgumentParser
import Backends
import Foundation
import Server

struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Inspect the feeds of subscribers.",
        subcommands: [FeedCheckCommand.self, FeedStatusCommand.self])
}

/// The options that select a feed.
struct FeedOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Argument(help: "The backend's name; required if several are of the kind feed.")
    var backend: String?

    func kind() throws -> (name: String, kind: FeedBackendKind) {
        let feeds = try Bootstrap.plan(try configuration.read()).entries.compactMap { entry in
            (entry.kind as? FeedBackendKind).map { (name: entry.name, kind: $0) }
        }
        if let backend {
            guard let chosen = feeds.first(where: { $0.name == backend }) else {
                throw CommandFailure(.usage, "no backend \(backend) of the kind feed")
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
        commandName: "check", abstract: "Fetch a feed, and report whether it would be accepted. Changes nothing.",
        discussion: """
            Lists bad rows by line number and reason, without their content. The exit status is 0 if the feed would be \
            accepted, 69 if it cannot be fetched, and 65 if it would be rejected.
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
        let currentRows: Int?
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
            backend: name, accepted: found.feed != nil, reason: found.rejection?.description, rows: found.feed?.rows,
            readers: found.feed?.readers, badRows: found.feed?.badRows,
            ambiguousIdentifiers: found.feed?.ambiguous, currentRows: found.rowsBefore,
            issues: found.issues.map { Report.Issue(line: $0.line, reason: $0.reason) })
        try output.print(report, text: text(name, found))
        if let rejection = found.rejection {
            let status: CommandFailure.Status = rejection.isOutage ? .unavailable : .dataError
            throw ExitCode(status.rawValue)
        }
    }

    private func text(_ name: String, _ found: FeedInspection) -> String {
        let before = found.rowsBefore.map { "\($0) rows" } ?? "none"
        guard let feed = found.feed else {
            return """
                \(name): would be rejected: \(found.rejection?.description ?? "")
                in force   \(before)
                """
        }
        return """
            \(name): would be accepted
            rows       \(feed.rows)
            readers    \(feed.readers)
            bad rows   \(feed.badRows)
            ambiguous  \(feed.ambiguous) identifiers of several readers
            in force   \(before)
            """
    }
}

struct FeedStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show which feed is in force, and the result of the last fetch.")

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
            } ?? "in force   none: readers cannot sign in")
        if let outcome = status?.outcome, let tried = status?.triedAt {
            lines.append("last fetch \(outcome.rawValue), \(tried.formatted(.iso8601))")
        } else {
            lines.append("last fetch none")
        }
        if let reason = status?.reason { lines.append("reason     \(reason)") }
        if let status, status.failures > 0 { lines.append("failures   \(status.failures) in a row") }
        try output.print(report, text: lines.joined(separator: "\n"))
    }
}
