import ArgumentParser
import SQLAccess
import Server
import State

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show, back up, restore, copy and migrate the state.",
        discussion: """
            The state contains the data that must survive a restart: revocations, devices, receipts, purchases, \
            accounts. A copy of its file alone lacks the write-ahead log, and restoring one by hand revives ended \
            sessions. Use these commands instead.

            If you restore a state in PostgreSQL with PostgreSQL's own tools instead, run `state end-sessions` afterwards.
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

extension CommandFailure {
    /// Runs a copy of a state, and translates its errors.
    ///
    /// - Parameter name: The name of the state that is read.
    static func translating<Value>(of name: String, _ copy: () async throws -> Value) async throws -> Value {
        do {
            return try await copy()
        } catch let error as StateBackupError {
            throw CommandFailure(copying: error)
        } catch let error as StateCopyError {
            throw CommandFailure(.dataError, error.description)
        } catch let error as NewerSchema {
            throw CommandFailure(.configuration, "\(name): \(error)")
        } catch let error as StateStoreError where StateStoreError.isUnavailable(error) {
            throw CommandFailure(error.isNewerSchema ? .configuration : .unavailable, error.description)
        }
    }

    /// Creates a failure from an error of a backup or restore.
    private init(copying error: StateBackupError) {
        let status: Status =
            switch error {
            case .noState, .noBackup: .noInput
            case .fileExists, .unwritable: .cannotCreate
            case .unsound: .dataError
            case .inUse, .usedByNodes: .unavailable
            case .database: .inputOutput
            }
        self.init(status, error.description)
    }
}
