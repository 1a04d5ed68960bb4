import Gatefold
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The JSON responses of front doors that speak it. No-cache headers are not their business: see ``NoCacheHeaders``.
enum JSONAnswer {
    static let type = "application/json; charset=utf-8"

    static func make(_ status: HTTPResponse.Status, _ value: JSONValue) -> Response {
        Response(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(value))))
    }

    /// `{"error": …}`, for whoever develops the app: no client reads it.
    static func error(_ status: HTTPResponse.Status, _ words: String) -> Response {
        make(status, ["error": .string(words)])
    }

    static func refused(_ refusal: RequestRefusal) -> Response { error(refusal.status, refusal.text) }

    static func unavailable(_ failure: Unavailable) -> Response {
        var response = error(.serviceUnavailable, "temporarily unavailable")
        response.headers[.retryAfter] = String(failure.retryAfter)
        return response
    }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Response {
        var response = error(.methodNotAllowed, "method not allowed")
        response.headers[.allow] = text(allowed)
        return response
    }

    static func options(_ allowed: [HTTPRequest.Method]) -> Response {
        Response(status: .noContent, headers: [.allow: text(allowed)])
    }

    private static func text(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }
}
