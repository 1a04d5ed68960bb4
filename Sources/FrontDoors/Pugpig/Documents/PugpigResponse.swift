import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// The HTTP responses this front door gives. No-cache headers are not its business: see ``NoCacheHeaders``.
enum PugpigResponse {
    static let xmlType = "text/xml; charset=utf-8"
    static let textType = "text/plain; charset=utf-8"

    static func signIn(_ answer: SignInAnswer) -> Response {
        var wait: Int?
        if case .refused(let refusal) = answer, case .throttled(let retryAfter) = refusal.reason { wait = retryAfter }
        return xml(TokenDocument.bytes(answer), retryAfter: wait).response
    }

    static func verification(_ answer: VerificationAnswer) -> WholeAnswer {
        xml(SubscriptionDocument.bytes(answer))
    }

    static func credentials(_ answer: CredentialsAnswer) -> WholeAnswer {
        var wait: Int?
        if case .refused(let refusal, _) = answer { wait = refusal.retryAfter }
        return xml(CredentialsDocument.bytes(answer), retryAfter: wait)
    }

    static func signedOut() -> Response { text(.ok, "Signed out") }

    /// Never a document: an app that gets none keeps its last known good state (PROTOCOLS 1.2).
    static func unavailable(retryAfter: Int) -> Response {
        text(.serviceUnavailable, "Temporarily unavailable", retryAfter: retryAfter)
    }

    /// A status that no response can have, or that ends no request, is an internal error.
    static func verbatim(_ answer: VerbatimAnswer) -> Response {
        let status =
            (200...599).contains(answer.status) ? HTTPResponse.Status(code: answer.status) : .internalServerError
        // These two have no body (RFC 9110 section 6.4.1).
        return status == .noContent || status == .notModified ? Response(status: status) : text(status, answer.body)
    }

    static func refused(_ refusal: RequestRefusal) -> Response { text(refusal.status, refusal.text) }

    /// A parameter is missing without which a store can not be asked.
    static func incomplete(_ words: String) -> Response { text(.badRequest, words) }

    static func notFound() -> Response { text(.notFound, "Not found") }

    /// What a GET's answer would be headed with; the question itself is not put, because a HEAD asks for nothing.
    static func head(of call: PugpigCall) -> Response {
        Response(status: .ok, headers: [.contentType: call == .signOut ? textType : xmlType])
    }

    static func options() -> Response { Response(status: .noContent, headers: [.allow: allowed]) }

    static func methodNotAllowed() -> Response {
        var response = text(.methodNotAllowed, "Method not allowed")
        response.headers[.allow] = allowed
        return response
    }

    private static let xmlHeaders: HTTPFields = [.contentType: xmlType]
    private static let allowed = "GET, HEAD, POST, OPTIONS"

    private static func xml(_ bytes: [UInt8], retryAfter: Int? = nil) -> WholeAnswer {
        answer(.ok, xmlType, ByteBuffer(bytes: bytes), retryAfter)
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String, retryAfter: Int? = nil) -> Response {
        answer(status, textType, ByteBuffer(string: text), retryAfter).response
    }

    private static func answer(
        _ status: HTTPResponse.Status, _ type: String, _ body: ByteBuffer, _ retryAfter: Int?
    ) -> WholeAnswer {
        var headers = type == xmlType ? xmlHeaders : [.contentType: type]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return WholeAnswer(status: status, headers: headers, body: body)
    }
}
