import ArgumentParser
import CSV
import Foundation
import Gatefold
import Server

struct DrillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drill",
        abstract: "Simulate a backend failure, and report the results that readers get.",
        discussion: """
            Opens the backends of the configuration in this process, queries the real systems for the given readers, \
            then makes the named backend slow, failing or flapping behind its configured protections. A running server \
            is not affected. Feeds and catalogues that a server has loaded are read unchanged. Another feed is fetched \
            and loaded into its folder, and another catalogue is fetched once and not stored. Use a test \
            configuration, because the queries reach the real systems.
            Exits with 1 if a reader got a wrong result.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(name: .shortAndLong, help: "The backend that fails. Default: the publication's backend.")
    var backend: String?

    @Option(
        help: ArgumentHelp("The fault: \(DrillFault.forms).", valueName: "fault"))
    var fault: String = "outage"

    @Option(
        help:
            "A CSV file of readers with a header row. Every second reader signs in only during the fault.",
        completion: .file(extensions: ["csv"]))
    var readers: String

    @Option(help: "An edition to request credentials for.")
    var edition: String?

    @Option(help: "The duration of each of the three phases, in seconds, 1 to 3600.")
    var seconds: Int = 10

    @Option(help: "The number of queries per second for all readers together, 1 to 2000.")
    var rate: Int = 50

    func run() async throws {
        guard (1...3600).contains(seconds) else { throw CommandFailure(.usage, "expected --seconds from 1 to 3600") }
        guard (1...2000).contains(rate) else { throw CommandFailure(.usage, "expected --rate from 1 to 2000") }
        guard let fault = DrillFault(fault) else {
            throw CommandFailure(.usage, "expected --fault as \(DrillFault.forms)")
        }
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let plan = Drill.Plan(
            publication: chosen.publication.id, backend: backend ?? chosen.backend, fault: fault,
            readers: try readersInFile(), edition: edition, phase: TimeInterval(seconds), rate: rate)
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-drill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let report: DrillReport
        do {
            report = try await audit.trail(read).perform(
                .drillRun, of: [.backend(plan.backend)], in: plan.publication,
                [("readers", String(plan.readers.count)), ("rate", String(rate))]
            ) {
                try await Drill(plan, read, folder: folder).run { phase in
                    FileHandle.standardError.write(Data("\(phase)…\n".utf8))
                }
            }
        } catch let failure as Drill.Failure {
            switch failure {
            case .noSuchBackend, .notQueried: throw CommandFailure(.usage, failure.description)
            case .noReaderSignsIn, .noCatalogue: throw CommandFailure(.unavailable, failure.description)
            }
        }
        try output.print(report, text: report.text)
        if report.wrongResults > 0 { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }

    private func readersInFile() throws -> [[String: String]] {
        guard let data = FileManager.default.contents(atPath: readers) else {
            throw CommandFailure(.noInput, "cannot read \(readers)")
        }
        var rows: [CSVRow] = []
        var reader = CSVReader()
        let take: (CSVReader.Outcome) throws -> Void = { outcome in
            do { rows.append(try outcome.get()) } catch {
                throw CommandFailure(.dataError, "\(readers): \(error)")
            }
        }
        try reader.read(data, take)
        try reader.finish(take)
        guard let header = rows.first, rows.count > 1 else {
            throw CommandFailure(.dataError, "\(readers): expected a row of field names and at least one reader")
        }
        return rows.dropFirst().map { row in
            Dictionary(zip(header.fields, row.fields), uniquingKeysWith: { first, _ in first })
        }
    }
}
