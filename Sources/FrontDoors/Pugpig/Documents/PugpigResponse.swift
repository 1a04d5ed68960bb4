import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// The HTTP responses of this front door. ``NoCacheHeaders`` adds the no-cache headers.
enum PugpigResponse {
    static let xmlType = "text/xml; charset=utf-8"
    static let textType = "text/plain; charset=utf-8"

    static func signIn(_ response: SignInResult) -> Response {
        var wait: Int?
        if case .rejected(let rejection) = response, case .throttled(let retryAfter) = rejection.reason {
            wait = retryAfter
        }
        return xml(TokenDocument.bytes(response), retryAfter: wait)
    }

    static func verification(_ response: VerificationResult) -> Response {
        xml(SubscriptionDocument.bytes(response))
    }

    static func credentials(_ response: CredentialsResult) -> Response {
        var wait: Int?
        if case .rejected(let rejection, _) = response { wait = rejection.retryAfter }
        return xml(CredentialsDocument.bytes(response), retryAfter: wait)
    }

    static func signedOut() -> Response { text(.ok, "Signed out") }

    /// Returns a response that is never a document, because an app without a document retains its last known state.
    ///
    /// Source: Pugpig protocol, “State kept by the client”.
    static func unavailable(retryAfter: Int) -> Response {
        text(.serviceUnavailable, "Temporarily unavailable", retryAfter: retryAfter)
    }

    /// Returns the response with its status. A status that no final response can have becomes an internal error.
    static func scripted(_ response: ScriptedResponse) -> Response {
        let status =
            (200...599).contains(response.status) ? HTTPResponse.Status(code: response.status) : .internalServerError
        // Responses with these two statuses have no body (RFC 9110 section 6.4.1).
        return status == .noContent || status == .notModified ? Response(status: status) : text(status, response.text)
    }

    static func rejected(_ rejection: RequestRejection) -> Response { text(rejection.status, rejection.text) }

    /// Returns the response to a missing parameter that a query to the store needs.
    static func incomplete(_ message: String) -> Response { text(.badRequest, message) }

    static func notFound() -> Response { text(.notFound, "Not found") }

    /// Returns the response to a method with which the call itself does not run; nil for GET and POST.
    ///
    /// HEAD gets the headers of GET. The call does not run, because a HEAD needs no result.
    static func withoutCall(_ method: HTTPRequest.Method, of call: PugpigCall) -> Response? {
        switch method {
        case .get, .post: return nil
        case .head: return Response(status: .ok, headers: [.contentType: call == .signOut ? textType : xmlType])
        case .options: return Response(status: .noContent, headers: [.allow: allowed])
        default:
            var response = text(.methodNotAllowed, "Method not allowed")
            response.headers[.allow] = allowed
            return response
        }
    }

    private static let xmlHeaders: HTTPFields = [.contentType: xmlType]
    private static let allowed = "GET, HEAD, POST, OPTIONS"

    private static func xml(_ bytes: [UInt8], retryAfter: Int? = nil) -> Response {
        response(.ok, xmlType, ByteBuffer(bytes: bytes), retryAfter)
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String, retryAfter: Int? = nil) -> Response {
        response(status, textType, ByteBuffer(string: text), retryAfter)
    }

    private static func response(
        _ status: HTTPResponse.Status, _ type: String, _ body: ByteBuffer, _ retryAfter: Int?
    ) -> Response {
        var headers = type == xmlType ? xmlHeaders : [.contentType: type]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
