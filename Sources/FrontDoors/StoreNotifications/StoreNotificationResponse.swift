import Commerce
import HTTPTypes
import Hummingbird
import NIOCore

/// The response to a store's message, with a short text for readers of its log.
enum StoreNotificationResponse {
    static func of(_ receipt: NotificationReceipt) -> Response {
        switch receipt {
        case .taken(let isNew): text(.ok, isNew ? "Accepted" : "Already accepted")
        case .rejected(let rejection): rejected(rejection.reason)
        }
    }

    /// Returns the response to a rejected message.
    ///
    /// The status is 400 for a message that is unreadable or not from the store, because it will never be valid. It
    /// is 403 for a genuine message of another app or environment, which another configuration would accept.
    private static func rejected(_ reason: ReceiptRejection.Reason) -> Response {
        switch reason {
        case .wrongApp: text(.forbidden, "The notification is for an unknown app")
        case .wrongEnvironment: text(.forbidden, "The notification is for an environment that is not accepted")
        default: text(.badRequest, "The notification is not from the store")
        }
    }

    static func again(after seconds: Int) -> Response {
        var response = text(.serviceUnavailable, "Temporarily unavailable, please retry")
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    static func tooManyRejected(retryAfter seconds: Int) -> Response {
        var response = text(.tooManyRequests, "Too many rejected notifications from this address")
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    static func tooLarge(_ maxLength: Int) -> Response {
        text(.contentTooLarge, "The body must not exceed \(maxLength) bytes")
    }

    static func unknownStore() -> Response { text(.notFound, "No publication uses a store of this name") }

    static func methodNotAllowed() -> Response {
        var response = text(.methodNotAllowed, "Notifications require POST")
        response.headers[.allow] = "POST"
        return response
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}
