import ArgumentParser
import Foundation
import Gatefold
import Primitives
import Server
import State

struct StateRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the state by a backup. All readers must sign in again.",
        discussion: """
            Fails while a server uses the state, or a node has reported itself within the last minute. A backup lacks \
            the revocations made after it, so the restore ends all existing sessions: tokens, their renewals, and \
            downloads with sealed salts.

            The previous state in a file is retained next to the new one until the next restore. A state in PostgreSQL \
            is replaced in one transaction, by the account that owns the tables, and its previous rows are lost. The \
            audit log goes on: the restore is its next entry. A warning is printed if the backup has entries that the \
            log lacks, which are not restored.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "A file created by `state backup`.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let state: String
        let revocations: Int
        let sessionFloor: Date
        let previousState: String?
    }

    func run() async throws {
        let read = try configuration.read()
        let (report, auditLog) = try await CommandFailure.translating(of: file) { try await restore(read) }
        if let warning = auditLog.warning {
            FileHandle.standardError.write(Data("Warning: \(warning).\n".utf8))
        }
        let floor = report.sessionFloor.formatted(.iso8601)
        try output.print(
            report,
            text: "Restored the state \(report.state) from \(file). Sessions issued before \(floor) are ended."
                + (report.previousState.map { " The previous state is \($0)." } ?? ""))
    }

    private func restore(
        _ read: GatefoldConfiguration
    ) async throws -> (report: Report, auditLog: AuditLogRestore.Outcome) {
        let entry = AuditLogRestore(audit.record(.stateRestore), to: AuditChain(read.state.pseudonymKey))
        switch read.state.location {
        case .sqlite(let path):
            let restore = try StateRestore.make(from: file, to: path, at: WallClock.system.now, audit: entry)
            let report = Report(
                state: path, revocations: restore.backup.revocations, sessionFloor: restore.sessionFloor,
                previousState: restore.formerState)
            return (report, restore.auditLog)
        case .postgreSQL(_, _, let folder, _):
            let store = try Bootstrap.stateStoreToCopy(read)
            let restore = try await CopyProgress.showing {
                try await SharedStateRestore.make(
                    from: file, to: store, folder: folder, audit: entry, didProgress: $0)
            }
            let report = Report(
                state: read.state.location.name, revocations: restore.backup.revocations,
                sessionFloor: restore.sessionFloor, previousState: nil)
            return (report, restore.auditLog)
        }
    }
}
