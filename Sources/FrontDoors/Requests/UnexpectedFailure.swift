package import Gatefold
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

extension RefusalReason {
    /// Creates the reason of a call that ends with an error, which is ``internalError`` for an unexpected one.
    package init(_ error: any Error) {
        self =
            switch error {
            case let failure as Unavailable: failure.reason
            case is RequestRejection: .malformedRequest
            default: .internalError
            }
    }
}
