import ArgumentParser
import Foundation
import SQLAccess
import Server
import State

struct StateBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the state into a new file, also while a server uses it.",
        discussion: """
            The copy is of one moment, is verified, and may be read by its owner alone. It holds personal data and, like \
            the state, opens nothing without the secrets of the configuration, which are not in it.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The file to make; it must not exist.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let file: String
        let bytes: Int
        let revocations: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let backup: StateBackup
        do {
            backup = try StateBackup.make(of: read.state.path, to: file)
        } catch let error as StateBackupError {
            throw CommandFailure(copying: error)
        } catch let error as NewerSchema {
            throw CommandFailure(.configuration, "the state \(read.state.path): \(error)")
        }
        try output.print(
            Report(file: file, bytes: backup.size, revocations: backup.revocations),
            text: "The state is in \(file): \(backup.size) bytes, \(backup.revocations) revocations.")
    }
}
