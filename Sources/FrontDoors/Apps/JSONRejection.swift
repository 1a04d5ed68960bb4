import Gatefold
import HTTPTypes

/// The refusal of a JSON call by its front door: the response, and the reason for logs and metrics.
struct JSONRejection: Error {
    let status: HTTPResponse.Status
    /// The text for the developer of the app.
    let message: String
    let reason: RefusalReason

    init(_ status: HTTPResponse.Status, _ message: String, _ reason: RefusalReason) {
        self.status = status
        self.message = message
        self.reason = reason
    }
}
