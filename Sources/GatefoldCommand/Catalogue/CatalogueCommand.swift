import ArgumentParser
import Catalogues
import Foundation
import Gatefold
import Server

struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Look after the catalogues of editions.",
        subcommands: [CatalogueCheckCommand.self, CatalogueStatusCommand.self, CatalogueShowCommand.self])
}

/// Which catalogue is meant.
struct CatalogueOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption

    func read() throws -> (publication: PublicationConfiguration, memory: CatalogueMemory) {
        let configuration = try configuration.read()
        let found = try configuration.publication(named: publication.publication)
        return (
            found, CatalogueMemory(folder: configuration.catalogueFolder, publication: found.publication.id)
        )
    }
}

struct CatalogueCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask a catalogue's source, and say what would become of it; change nothing.",
        discussion: """
            Items that are no editions are listed by their position and the reason. The exit status is 0 when the \
            catalogue would be taken, 69 when its source can not be asked and 65 when it would be refused.
            """)

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let publication: String
        let accepted: Bool
        let reason: String?
        let editions: Int
        let unreadable: Int
        let editionsInForce: Int?
    }

    func run() async throws {
        let (publication, memory) = try catalogue.read()
        let name = publication.publication.id.rawValue
        guard case .source(let plan) = publication.catalogue else {
            throw CommandFailure(
                .usage, "the catalogue of \(name) stands in the configuration; it has no source to ask")
        }
        let remembered = memory.remembered
        let reading: CatalogueReading
        do {
            reading = try await plan.inspect(after: remembered.catalogue)
        } catch {
            throw CommandFailure(.unavailable, "\((error as? any BackendFailure)?.cause ?? "\(error)")")
        }
        for problem in reading.problems {
            FileHandle.standardError.write(Data("\(name): \(problem)\n".utf8))
        }
        let last = remembered.catalogue?.editions.count
        let refusal = plan.limits.refusal(of: reading, last: last)
        let report = Report(
            publication: name, accepted: refusal == nil, reason: refusal?.description,
            editions: reading.editions.count, unreadable: reading.problems.count, editionsInForce: last)
        let verdict = refusal.map { "would be refused: \($0)" } ?? "would be taken"
        try output.print(
            report,
            text: """
                \(name): \(verdict)
                editions    \(reading.editions.count)
                unreadable  \(reading.problems.count)
                in force    \(last.map { "\($0) editions" } ?? "none")
                """)
        if refusal != nil { throw ExitCode(CommandFailure.Status.dataError.rawValue) }
    }
}

struct CatalogueStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say which catalogue is remembered, and how old it is.")

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let publication: String
        let editions: Int?
        let confirmedAt: Date?
        let announced: Int
        let isOfTheseSettings: Bool
    }

    func run() async throws {
        let (publication, memory) = try catalogue.read()
        let name = publication.publication.id.rawValue
        let remembered = memory.remembered
        var report = Report(
            publication: name, editions: remembered.catalogue?.editions.count, confirmedAt: remembered.confirmedAt,
            announced: remembered.announced, isOfTheseSettings: true)
        var lines = [name]
        switch publication.catalogue {
        case .editions(let editions):
            report = Report(
                publication: name, editions: editions.count, confirmedAt: nil, announced: remembered.announced,
                isOfTheseSettings: true)
            lines.append("in force    \(editions.count) editions of the configuration")
        case .source(let plan):
            let isSame = remembered.fingerprint == plan.fingerprint
            report = Report(
                publication: name, editions: report.editions, confirmedAt: report.confirmedAt,
                announced: report.announced, isOfTheseSettings: isSame)
            if let count = report.editions, let confirmed = report.confirmedAt {
                lines.append("in force    \(count) editions, confirmed \(confirmed.formatted(.iso8601))")
                if !isSame { lines.append("source      its settings have changed since") }
            } else {
                lines.append("in force    none: the source has not been asked with success")
            }
        }
        lines.append("announced   \(report.announced) editions")
        try output.print(report, text: lines.joined(separator: "\n"))
    }
}
