package import HTTPTypes
package import Hummingbird
import Logging
package import NIOHTTP1

/// The rules that every response of a listener follows, whichever route handles the request.
package enum ResponseRules {
    /// Returns the response of a handler under the rules: a target without a valid form gets status 400, an error becomes
    /// a response, and a response to HEAD has no body.
    ///
    /// - Throws: `HTTPParserError` if the request's body is unreadable. The server responds to it and closes the
    ///   connection.
    package static func response(
        to request: Request, in context: GatefoldRequestContext,
        by handler: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws(HTTPParserError) -> Response {
        let response: Response
        do {
            response =
                hasTargetForm(request.head.path ?? "", method: request.method)
                ? try await handler(request, context) : Response(status: .badRequest)
        } catch let error as any HTTPResponseError {
            response = self.response(to: request, in: context, for: error)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            context.logger.unexpected(error, "Request failed unexpectedly")
            response = Response(status: .internalServerError)
        }
        // On a persistent connection, the client would read bytes after the head as the next response (RFC 9110
        // section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func response(
        to request: Request, in context: GatefoldRequestContext, for error: any HTTPResponseError
    ) -> Response {
        do {
            return try error.response(from: request, context: context)
        } catch {
            context.logger.unexpected(error, "Request failed unexpectedly")
            return Response(status: .internalServerError)
        }
    }

    /// Returns whether a request target has one of the valid forms: `/path`, `*` for OPTIONS, or a complete `http` or
    /// `https` URL (RFC 9112 section 3.2, RFC 9113 section 8.3.1).
    ///
    /// The HTTP/1 parser rejects most other forms. The HTTP/2 parser does not, and the routes would treat `healthz` as
    /// `/healthz`, while path rules in front of the routes or behind them may treat them differently.
    package static func hasTargetForm(_ target: String, method: HTTPRequest.Method) -> Bool {
        if target.utf8.first == UInt8(ascii: "/") { return true }
        if target == "*" { return method == .options }
        let scheme = target.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme == "https://"
    }
}
