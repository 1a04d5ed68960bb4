import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct StateBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the state to a new file. A server may use it meanwhile.",
        discussion: """
            The copy is a consistent snapshot, is verified, and is readable only by its owner. It contains personal \
            data and, like the state, is of no use without the secrets of the configuration, which it does not \
            contain.

            The copy of a state in PostgreSQL has the same format as that of a file, so that each can be restored to \
            both. It needs the account that owns the tables.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The file to create; it must not exist.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let file: String
        let bytes: Int
        let revocations: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let backup = try await CommandFailure.translating(of: "the state \(read.state.location.name)") {
            switch read.state.location {
            case .sqlite(let path):
                guard FileManager.default.fileExists(atPath: path) else { throw StateBackupError.noState(path: path) }
                try requireNewFile()
                try EmbeddedAuditLog.append(
                    audit.record(.stateBackup), to: AuditChain(read.state.pseudonymKey), path: path)
                return try StateBackup.make(of: path, to: file)
            case .postgreSQL:
                let store = try Bootstrap.stateStoreToCopy(read, creates: false)
                try requireNewFile()
                try await audit.trail(read, in: store).record(.stateBackup)
                return try await CopyProgress.showing {
                    try await SharedStateBackup.make(of: store, to: file, didProgress: $0)
                }
            }
        }
        try output.print(
            Report(file: file, bytes: backup.size, revocations: backup.revocations),
            text: "Backed up the state to \(file): \(backup.size) bytes, \(backup.revocations) revocations.")
    }

    /// Fails before the entry of the audit log, which would otherwise be that of a backup that was not made.
    private func requireNewFile() throws {
        if FileManager.default.fileExists(atPath: file) { throw StateBackupError.fileExists(path: file) }
    }
}
