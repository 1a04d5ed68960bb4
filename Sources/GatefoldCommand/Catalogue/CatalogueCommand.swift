import ArgumentParser
import Catalogues
import Foundation
import Gatefold
import Primitives
import Server

struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Inspect the catalogues of editions.",
        subcommands: [CatalogueCheckCommand.self, CatalogueStatusCommand.self, CatalogueShowCommand.self])
}

/// The options that select a catalogue.
struct CatalogueOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption

    func read() throws -> (publication: PublicationConfiguration, cache: CatalogueCache) {
        let configuration = try configuration.read()
        let found = try configuration.publication(named: publication.publication)
        return (
            found, CatalogueCache(folder: configuration.catalogueFolder, publication: found.publication.id)
        )
    }
}

struct CatalogueCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Fetch a catalogue, and report whether it would be accepted. Changes nothing.",
        discussion: """
            Lists invalid items by position and reason. The exit status is 0 if the catalogue would be accepted, 69 if \
            its source cannot be reached, and 65 if the catalogue would be rejected.
            """)

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let publication: String
        let accepted: Bool
        let reason: String?
        let editions: Int
        let unreadable: Int
        let currentEditions: Int?
    }

    func run() async throws {
        let (publication, cache) = try catalogue.read()
        let name = publication.publication.id.rawValue
        guard case .source(let plan) = publication.catalogue else {
            throw CommandFailure(
                .usage, "the catalogue of \(name) is in the configuration; it has no source")
        }
        let snapshot = cache.snapshot
        let reading: CatalogueReading
        do {
            reading = try await plan.inspect(after: snapshot.catalogue)
        } catch {
            throw CommandFailure(.unavailable, "\((error as? any BackendFailure)?.cause ?? "\(error)")")
        }
        for problem in reading.problems {
            FileHandle.standardError.write(Data("\(name): \(problem)\n".utf8))
        }
        let last = snapshot.catalogue?.editions.count
        let rejection = plan.limits.rejection(of: reading, last: last)
        let report = Report(
            publication: name, accepted: rejection == nil, reason: rejection?.description,
            editions: reading.editions.count, unreadable: reading.problems.count, currentEditions: last)
        let verdict = rejection.map { "would be rejected: \($0)" } ?? "would be accepted"
        try output.print(
            report,
            text: """
                \(name): \(verdict)
                editions    \(reading.editions.count)
                unreadable  \(reading.problems.count)
                in force    \(last.map { "\($0) editions" } ?? "none")
                """)
        if rejection != nil { throw ExitCode(CommandFailure.Status.dataError.rawValue) }
    }
}

struct CatalogueStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show which catalogue is in force, and its age.")

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let publication: String
        let editions: Int?
        let confirmedAt: Date?
        let announced: Int
        let matchesSettings: Bool
    }

    func run() async throws {
        let (publication, cache) = try catalogue.read()
        let name = publication.publication.id.rawValue
        let snapshot = cache.snapshot
        var report = Report(
            publication: name, editions: snapshot.catalogue?.editions.count, confirmedAt: snapshot.confirmedAt,
            announced: snapshot.announced, matchesSettings: true)
        var lines = [name]
        switch publication.catalogue {
        case .editions(let editions):
            report = Report(
                publication: name, editions: editions.count, confirmedAt: nil, announced: snapshot.announced,
                matchesSettings: true)
            lines.append("in force    \(editions.count) editions of the configuration")
        case .source(let plan):
            let isSame = snapshot.fingerprint == plan.fingerprint
            report = Report(
                publication: name, editions: report.editions, confirmedAt: report.confirmedAt,
                announced: report.announced, matchesSettings: isSame)
            if let count = report.editions, let confirmed = report.confirmedAt {
                lines.append("in force    \(count) editions, confirmed \(confirmed.formatted(.iso8601))")
                if !isSame { lines.append("source      its settings have changed since that fetch") }
            } else {
                lines.append("in force    none: the source was never fetched successfully")
            }
        }
        lines.append("announced   \(report.announced) editions")
        try output.print(report, text: lines.joined(separator: "\n"))
    }
}
