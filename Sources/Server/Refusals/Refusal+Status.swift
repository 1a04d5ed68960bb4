import Gatefold
import HTTPTypes

extension Refusal {
    /// Creates the refusal of a request for which no handler recorded one; nil if the response is no refusal.
    ///
    /// Handlers record the refusals of readers. What is left are requests that are not well formed, and limits of the
    /// listener. A path without a route and a file without the requested range are no refusals.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - path: The path of the request.
    init?(status: HTTPResponse.Status, path: String) {
        switch status.code {
        case ..<400, 404, 410, 412, 416: return nil
        // A load balancer that asks for the health is no reader.
        case _ where path == "/readyz" || path == "/healthz": return nil
        case 401, 402, 403: self.init(.unspecified, .other)
        case 429, 503: self.init(.overloaded, .other)
        case 500...: self.init(.internalError, .other)
        default: self.init(.malformedRequest, .other)
        }
    }
}
