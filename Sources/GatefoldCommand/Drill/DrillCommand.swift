import ArgumentParser
import CSV
import Foundation
import Gatefold
import Server

struct DrillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drill",
        abstract: "Play a bad day of a backend, and report what readers are answered.",
        discussion: """
            Opens the backends of the configuration for itself, asks the real systems for the readers given, then lets \
            the named backend be slow, fail or flap inside the protections configured around it. Nothing of a running \
            server is touched; a feed that one keeps up to date is read as it is, any other is fetched and loaded into \
            its folder; a catalogue is the one that a server remembered, or else is fetched once and not kept. Meant for a test configuration: the readers' questions do reach the systems.
            Exits with 1 when a reader was told anything that is not so.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Option(name: .shortAndLong, help: "The backend that has the bad day; the publication's own unless said.")
    var backend: String?

    @Option(
        help: ArgumentHelp("What happens: \(DrillFault.forms).", valueName: "fault"))
    var fault: String = "outage"

    @Option(
        help:
            "A CSV file of readers, its first row the names of the credentials' fields. Every second one stays away until the bad day.",
        completion: .file(extensions: ["csv"]))
    var readers: String

    @Option(help: "An edition whose credentials are asked for.")
    var edition: String?

    @Option(help: "How long each of the three phases lasts, in seconds.")
    var seconds: Int = 10

    @Option(help: "Questions a second, of all readers together.")
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
            report = try await Drill(plan, read, folder: folder).run { phase in
                FileHandle.standardError.write(Data("\(phase)…\n".utf8))
            }
        } catch let failure as Drill.Failure {
            switch failure {
            case .noSuchBackend, .notAsked: throw CommandFailure(.usage, failure.description)
            case .noReaderSignsIn, .noCatalogue: throw CommandFailure(.unavailable, failure.description)
            }
        }
        try output.print(report, text: report.text)
        if report.wrongAnswers > 0 { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }

    private func readersInFile() throws -> [[String: String]] {
        guard let data = FileManager.default.contents(atPath: readers) else {
            throw CommandFailure(.noInput, "can not read \(readers)")
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
