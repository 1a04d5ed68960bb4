import ArgumentParser
import Backends
import Server
import Settings

/// The last line and the exit status of a failed subcommand.
struct CommandFailure: Error {
    /// The exit statuses, from sysexits(3).
    enum Status: Int32 {
        /// The result of the query is negative.
        case negativeResult = 1
        /// No server was available to check. Only `check` uses this status.
        case nothingChecked = 2
        case usage = 64
        case dataError = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case inputOutput = 74
        /// The operation was stopped and resumes at the next start.
        case resumable = 75
        case configuration = 78
    }

    let status: Status
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates a failure from an error while opening a subscriber database.
    init(opening error: any Error, of backend: String? = nil) {
        let isNewer = (error as? SubscriberDatabaseError)?.isNewerSchema ?? false
        self.init(isNewer ? .configuration : .unavailable, (backend.map { "\($0): " } ?? "") + "\(error)")
    }

    /// Creates a failure from an error, or returns nil if the argument parser prints it better.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as SettingsError: self.init(.configuration, error.description)
        case let error as TLSFileError: self.init(.configuration, error.description)
        case let error as BootstrapError:
            self.init(error.isConfiguration ? .configuration : .unavailable, error.description)
        default:
            // An error that is neither the program's own nor the parser's comes from a database or a file that
            // failed during the work.
            guard !(error is ExitCode), GatefoldCommand.exitCode(for: error) == .failure else { return nil }
            self.init(.inputOutput, "\(error)")
        }
    }
}
