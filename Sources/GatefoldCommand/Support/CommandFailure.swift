import ArgumentParser
import Backends
import Server
import Settings

/// What a subcommand says on its last line, and its exit status.
struct CommandFailure: Error {
    /// From sysexits(3).
    enum Status: Int32 {
        /// The answer to the question asked was no.
        case no = 1
        /// There was no answer that the question could be asked of; of `check` alone.
        case nothingChecked = 2
        case usage = 64
        case dataError = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case inputOutput = 74
        /// It was stopped, and goes on when it is started again.
        case again = 75
        case configuration = 78
    }

    let status: Status
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What keeps a subscriber database from being opened.
    init(opening error: any Error, of backend: String? = nil) {
        let isNewer = (error as? SubscriberDatabaseError)?.isNewerSchema ?? false
        self.init(isNewer ? .configuration : .unavailable, (backend.map { "\($0): " } ?? "") + "\(error)")
    }

    /// Nil for errors that the argument parser prints better itself.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as SettingsError: self.init(.configuration, error.description)
        case let error as TLSFileError: self.init(.configuration, error.description)
        case let error as AssemblyError:
            self.init(error.isConfiguration ? .configuration : .unavailable, error.description)
        default:
            // What is neither ours nor the parser's is a database or a file that failed in the middle of the work.
            guard !(error is ExitCode), GatefoldCommand.exitCode(for: error) == .failure else { return nil }
            self.init(.inputOutput, "\(error)")
        }
    }
}
