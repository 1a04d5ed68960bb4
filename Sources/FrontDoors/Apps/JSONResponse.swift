import Gatefold
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The JSON responses of front doors that use JSON. ``NoCacheHeaders`` adds the no-cache headers.
enum JSONResponse {
    static let type = "application/json; charset=utf-8"

    static func make(_ status: HTTPResponse.Status, _ value: JSONValue) -> Response {
        Response(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(value))))
    }

    /// Returns `{"error": …}` for the developer of the app. No client reads the document. A front door throws
    /// ``JSONRejection`` instead, so that the refusal has a reason.
    static func error(_ status: HTTPResponse.Status, _ message: String) -> Response {
        make(status, ["error": .string(message)])
    }

    static func unavailable(retryAfter: Int) -> Response {
        var response = error(.serviceUnavailable, "temporarily unavailable")
        response.headers[.retryAfter] = String(retryAfter)
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
