import Hummingbird
import Logging

/// The request that the current task responds to.
enum CurrentRequest {
    /// The identity of a request. All log lines of a request contain its identifier.
    struct Identity: Sendable {
        let id = RequestID()
        /// The logger of the listener.
        let logger: Logger
    }

    /// The identity of the request; nil outside of requests.
    @TaskLocal static var identity: Identity?

    /// The logger of the listener that received the request, or the process-wide one outside of requests.
    static var logger: Logger { identity?.logger ?? Logger.current }
}
