import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The responder of a listener: every request of every protocol gets its response here.
struct RequestResponder: Sendable {
    private let router: any HTTPResponder<GatefoldRequestContext>
    private let logger: Logger
    private let trusts: @Sendable (ClientAddress) -> Bool

    /// - Parameters:
    ///   - router: The responder of the routes, which returns a response for every path.
    ///   - logger: The logger of the listener.
    ///   - trusts: Returns whether the peer is a proxy that may name the request. Default: no peer is.
    init(
        _ router: any HTTPResponder<GatefoldRequestContext>, logger: Logger,
        trusts: @escaping @Sendable (ClientAddress) -> Bool = { _ in false }
    ) {
        self.router = router
        self.logger = logger
        self.trusts = trusts
    }

    /// Returns the identifier of a request: the one in its header if a trusted proxy sent a valid one, otherwise a new
    /// one.
    func identify(_ head: HTTPRequest, on connection: RequestConnection) -> RequestID {
        guard let text = head.headerFields[RequestID.field], let given = RequestID(proxy: text),
            let peer = connection.peer, trusts(peer)
        else { return RequestID() }
        return given
    }

    /// Returns the response to a request. An error of the routes becomes status 500.
    ///
    /// - Parameter receivedBody: The whole body of the request if it has arrived, otherwise nil.
    /// - Throws: `HTTPParserError` if the request's body is unreadable, which ends the connection.
    func respond(
        to request: Request, on connection: RequestConnection, receivedBody: ByteBuffer? = nil
    ) async throws(HTTPParserError) -> Response {
        let id = identify(request.head, on: connection)
        var response = try await routed(request, id, on: connection, receivedBody: receivedBody)
        response.headers[RequestID.field] = id.description
        response.headers[.date] = ResponseDate.now
        NoCacheHeaders.applyUnlessSet(to: &response.headers)
        return response
    }

    /// Returns the response to a request without the fields that every response has. A connection that writes bytes
    /// itself (``PlainRequestHandler``) adds them as bytes.
    func routed(
        _ request: Request, _ id: RequestID, on connection: RequestConnection, receivedBody: ByteBuffer?
    ) async throws(HTTPParserError) -> Response {
        let context = GatefoldRequestContext(connection, logger: logger, receivedBody: receivedBody)
        let identity = CurrentRequest.Identity(id: id, logger: logger, context: context)
        var response: Response
        do {
            response = try await CurrentRequest.$identity.withValue(identity) {
                try await router.respond(to: request, context: context)
            }
        } catch let error as HTTPParserError {
            throw error
        } catch {
            logger.unexpected(error, "Request failed unexpectedly")
            response = Response(status: .internalServerError)
        }
        // These two have no body, and a length would be that of another response (RFC 9110 section 8.6).
        if response.status.hasNoBody { response.headers[.contentLength] = nil }
        return response
    }
}

extension HTTPResponse.Status {
    /// A Boolean value that indicates whether responses with this status have no body.
    var hasNoBody: Bool { code == 204 || code == 304 }
}
