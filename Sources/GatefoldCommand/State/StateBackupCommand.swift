import ArgumentParser
import Foundation
import SQLAccess
import Server
import State

struct StateBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the state to a new file. A server may use it meanwhile.",
        discussion: """
            The copy is a consistent snapshot, is verified, and is readable only by its owner. It contains personal \
            data and, like the state, is of no use without the secrets of the configuration, which it does not \
            contain.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The file to create; it must not exist.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let file: String
        let bytes: Int
        let revocations: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let path = try read.state.embeddedPath()
        let backup: StateBackup
        do {
            backup = try StateBackup.make(of: path, to: file)
        } catch let error as StateBackupError {
            throw CommandFailure(copying: error)
        } catch let error as NewerSchema {
            throw CommandFailure(.configuration, "the state \(path): \(error)")
        }
        try output.print(
            Report(file: file, bytes: backup.size, revocations: backup.revocations),
            text: "Backed up the state to \(file): \(backup.size) bytes, \(backup.revocations) revocations.")
    }
}
