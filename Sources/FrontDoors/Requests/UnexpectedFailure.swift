package import Logging

extension Logger {
    /// Logs a failure that no part of the program expects, by its type alone, because an error's text may quote the
    /// request.
    ///
    /// Nothing is logged if the client reset its stream or closed its connection, because the call is cancelled
    /// then.
    package func unexpected(_ error: any Error, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        if Task.isCancelled { return }
        let type: Logger.Metadata = ["error": "\(String(describing: type(of: error)))"]
        self.error(message, metadata: metadata.merging(type) { $1 })
    }
}
