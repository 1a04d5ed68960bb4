import ArgumentParser
import Server
import State

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show, back up, restore, copy and migrate the state.",
        discussion: """
            The state contains the data that must survive a restart: revocations, devices, receipts, purchases, \
            accounts. A copy of its file alone lacks the write-ahead log, and restoring one by hand revives ended \
            sessions. Use these commands instead.

            A state in PostgreSQL is copied by PostgreSQL's own tools. Run `state end-sessions` after a restore.
            """,
        subcommands: [
            StateBackupCommand.self, StateRestoreCommand.self, StateCopyCommand.self, StateMigrateCommand.self,
            StateEndSessionsCommand.self, StateStatusCommand.self,
        ])
}

extension GatefoldConfiguration {
    /// Opens a state in PostgreSQL.
    ///
    /// - Parameter hint: What to do with a state in a file instead.
    /// - Throws: ``CommandFailure`` if the state is in a file, or ``BootstrapError``.
    func sharedStateStore(_ hint: String) throws -> any StateStore {
        guard case .postgreSQL = state.location else {
            throw CommandFailure(.configuration, "the state is in a file; expected one in PostgreSQL. \(hint)")
        }
        return try Bootstrap.existingStateStore(self)
    }
}

extension GatefoldConfiguration.StateConfiguration {
    /// Returns the path of an embedded state.
    ///
    /// - Throws: ``CommandFailure`` if the state is in PostgreSQL.
    func embeddedPath() throws -> String {
        guard case .sqlite(let path) = location else {
            throw CommandFailure(
                .configuration,
                "the state is in PostgreSQL; expected a state in a file. Copy the schema with pg_dump and pg_restore, and "
                    + "run `gatefold state end-sessions` after a restore")
        }
        return path
    }
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
