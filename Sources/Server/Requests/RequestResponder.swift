import ContentGate
import FrontDoors
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// The responder of a listener: every request of every protocol gets its response here.
struct RequestResponder: Sendable {
    private let responder: any HTTPResponder<GatefoldRequestContext>
    private let logger: Logger

    /// - Parameter responder: The responder of the routes, which returns a response for every path.
    init(_ responder: any HTTPResponder<GatefoldRequestContext>, logger: Logger) {
        self.responder = responder
        self.logger = logger
    }

    /// Returns the response to a request. An error of the routes becomes status 500.
    ///
    /// - Throws: `HTTPParserError` if the request's body is unreadable, which ends the connection.
    func respond(to request: Request, on connection: RequestConnection) async throws(HTTPParserError) -> Response {
        var response = try await routed(request, connection)
        // These two have no body, and a length would be that of another response (RFC 9110 section 8.6).
        if [.noContent, .notModified].contains(response.status) { response.headers[.contentLength] = nil }
        NoCacheHeaders.applyUnlessSet(to: &response.headers)
        response.headers[.date] = ResponseDate.now
        return response
    }

    private func routed(
        _ request: Request, _ connection: RequestConnection
    ) async throws(HTTPParserError) -> Response {
        do {
            return try await withLogger(logger) { logger in
                try await CurrentRequest.$id.withValue(RequestID()) {
                    try await responder.respond(
                        to: request, context: GatefoldRequestContext(connection, logger: logger))
                }
            }
        } catch let error as HTTPParserError {
            throw error
        } catch {
            logger.unexpected(error, "Request failed unexpectedly")
            return Response(status: .internalServerError)
        }
    }
}
