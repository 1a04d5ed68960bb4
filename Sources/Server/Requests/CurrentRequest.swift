import FrontDoors
import Gatefold
import Logging

/// The request that the current task responds to.
enum CurrentRequest {
    /// The identity of a request. All log lines of a request contain its identifier.
    struct Identity: Sendable {
        let id: RequestID
        /// The logger of the listener.
        let logger: Logger
        /// The context that records a refusal of the request.
        var context: GatefoldRequestContext?
    }

    /// The identity of the request; nil outside of requests.
    @TaskLocal static var identity: Identity?

    /// The logger of the listener that received the request, or the process-wide one outside of requests.
    static var logger: Logger { identity?.logger ?? Logger.current }

    /// Records that the request is refused. The listener reports it with the response. Outside of requests, the
    /// refusal is reported at once.
    static func refuse(_ refusal: Refusal) {
        guard let context = identity?.context else {
            reporter.report(RefusalReport(refusal: refusal, client: nil, proxy: nil))
            return
        }
        context.refuse(refusal)
    }

    private static let reporter = EventReporter()
}
