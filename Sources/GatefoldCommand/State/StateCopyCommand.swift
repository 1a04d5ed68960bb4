import ArgumentParser
import Foundation
import Gatefold
import SQLAccess
import Server
import State

struct StateCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy an embedded state into PostgreSQL, or back.",
        discussion: """
            The configuration names the state in PostgreSQL, and FILE is the embedded state. Stop all servers that use \
            either of them first. The target must be empty. The command compares both states at the end. If it is \
            interrupted, run it again: it continues, and no server starts with the incomplete state.
            """)

    enum Direction: String, EnumerableFlag {
        case from, to

        static func help(for value: Direction) -> ArgumentHelp? {
            switch value {
            case .from: "Copy FILE into PostgreSQL."
            case .to: "Copy PostgreSQL into FILE."
            }
        }
    }

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Flag(help: "The direction of the copy.")
    var direction: Direction

    @Argument(help: "The path of the embedded state.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let rows: Int
        let revocations: Int
    }

    func run() async throws {
        let read = try configuration.read()
        guard case .postgreSQL = read.state.location else {
            throw CommandFailure(.configuration, "the state is in a file; expected `state.kind: postgresql`")
        }
        let exists = FileManager.default.fileExists(atPath: file)
        guard direction == .to || exists else { throw CommandFailure(.noInput, "there is no state at \(file)") }
        if let process = DatabaseUsageCheck.process(of: file) {
            throw CommandFailure(.unavailable, "the process \(process) uses the state at \(file); stop it first")
        }
        let shared = try Bootstrap.stateStoreToCopy(read)
        let report = try await CommandFailure.translating(of: "one of the states") {
            let embedded = try SQLStateStore(path: file)
            let (source, target) = direction == .from ? (embedded, shared) : (shared, embedded)
            // The copy contains the entry of its intent.
            let intent = try await audit.trail(read, in: source).record(
                .stateCopy, [("phase", "intent"), ("direction", direction.rawValue)])
            let number = (intent.first?.sequence).map { String($0) }
            let report: StateCopy.Report
            do {
                report = try await CopyProgress.showing {
                    try await StateCopy(from: source, to: target, didProgress: $0).run()
                }
            } catch {
                // The error of the copy is the one to print.
                _ = try? await audit.trail(read, in: source).record(
                    .stateCopy, [("phase", "incomplete"), ("intent", number)])
                throw error
            }
            try await audit.trail(read, in: target).record(.stateCopy, [("phase", "done"), ("intent", number)])
            try embedded.close()
            return report
        }
        try output.print(
            Report(rows: report.rows, revocations: report.revocations),
            text: "Copied and compared \(report.rows) rows, \(report.revocations) of them revocations.")
    }
}
