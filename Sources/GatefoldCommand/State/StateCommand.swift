import ArgumentParser
import State

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Back up and restore the state.",
        discussion: """
            The state contains the data that must survive a restart: revocations, devices, receipts, purchases, \
            accounts. A copy of its file alone lacks the write-ahead log, and restoring one by hand revives ended \
            sessions. Use these commands instead.
            """,
        subcommands: [StateBackupCommand.self, StateRestoreCommand.self])
}

extension CommandFailure {
    /// Creates a failure from an error of a backup or restore.
    init(copying error: StateBackupError) {
        let status: Status =
            switch error {
            case .noState, .noBackup: .noInput
            case .fileExists, .unwritable: .cannotCreate
            case .unsound: .dataError
            case .inUse: .unavailable
            case .database: .inputOutput
            }
        self.init(status, error.description)
    }
}
