import ArgumentParser
import Foundation
import Primitives
import SQLAccess
import Server
import State

struct StateRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the state by a backup. All readers must sign in again.",
        discussion: """
            Fails while a server uses the state. A backup lacks the revocations made after it, so the restore ends all \
            existing sessions: tokens, their renewals, and downloads with sealed salts. The previous state is retained \
            next to the new one until the next restore.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

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
        let path = try read.state.embeddedPath()
        let restore: StateRestore
        do {
            restore = try StateRestore.make(from: file, to: path, at: WallClock.system.now)
        } catch let error as StateBackupError {
            throw CommandFailure(copying: error)
        } catch let error as NewerSchema {
            throw CommandFailure(.configuration, "\(file): \(error)")
        }
        let floor = restore.sessionFloor.formatted(.iso8601)
        try output.print(
            Report(
                state: path, revocations: restore.backup.revocations, sessionFloor: restore.sessionFloor,
                previousState: restore.formerState),
            text: "Restored the state \(path) from \(file). Sessions issued before \(floor) are ended."
                + (restore.formerState.map { " The previous state is \($0)." } ?? ""))
    }
}
