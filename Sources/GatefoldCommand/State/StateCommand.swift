import ArgumentParser
import State

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Back the state up, and restore it.",
        discussion: """
            The state holds what must outlive the server: revocations, devices, receipts, purchases, accounts. A copy of \
            its file alone loses what is in the write-ahead log beside it, and one that is put back by hand makes \
            sessions good again that were ended since: use these commands.
            """,
        subcommands: [StateBackupCommand.self, StateRestoreCommand.self])
}

extension CommandFailure {
    /// What keeps the state from being copied.
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
