import ArgumentParser
import Foundation
import Gatefold
import SQLAccess
import Server
import State

struct StateRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the state's place. All readers sign in again.",
        discussion: """
            Refused while a server uses the state. A backup does not know what was revoked after it was made, so every \
            session issued before the restore is ended: tokens, their renewals, and downloads under sealed salts. The \
            former state is kept beside the new one, and is replaced by the next restore.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "A file that `state backup` made.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let state: String
        let revocations: Int
        let sessionFloor: Date
        let formerState: String?
    }

    func run() async throws {
        let read = try configuration.read()
        let restore: StateRestore
        do {
            restore = try StateRestore.make(from: file, to: read.state.path, at: WallClock.system.now)
        } catch let error as StateBackupError {
            throw CommandFailure(copying: error)
        } catch let error as NewerSchema {
            throw CommandFailure(.configuration, "\(file): \(error)")
        }
        let floor = restore.sessionFloor.formatted(.iso8601)
        try output.print(
            Report(
                state: read.state.path, revocations: restore.backup.revocations, sessionFloor: restore.sessionFloor,
                formerState: restore.formerState),
            text: "The state \(read.state.path) is that of \(file). Sessions issued before \(floor) are ended."
                + (restore.formerState.map { " The former state is \($0)." } ?? ""))
    }
}
