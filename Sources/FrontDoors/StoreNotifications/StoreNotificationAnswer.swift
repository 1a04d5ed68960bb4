import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// What a store is told about its message, as a short text for whoever reads its log.
enum StoreNotificationAnswer {
    static func of(_ receipt: NotificationReceipt) -> Response {
        switch receipt {
        case .taken(let isNew): text(.ok, isNew ? "Taken" : "Taken before")
        case .refused(let refusal): refused(refusal.reason)
        }
    }

    /// Not to be read, or not the store's: never good (400). Genuine and of another app or environment: good if the
    /// configuration were another (403).
    private static func refused(_ reason: ReceiptRefusal.Reason) -> Response {
        switch reason {
        case .wrongApp: text(.forbidden, "The message is of an app that is not sold here")
        case .wrongEnvironment: text(.forbidden, "The message is of an environment that does not count here")
        default: text(.badRequest, "The message is not one of the store's")
        }
    }

    static func again(after seconds: Int) -> Response {
        var answer = text(.serviceUnavailable, "Please send the message again")
        answer.headers[.retryAfter] = String(seconds)
        return answer
    }

    static func tooManyRefused(retryAfter seconds: Int) -> Response {
        var answer = text(.tooManyRequests, "Too many messages of this address were none of the store's")
        answer.headers[.retryAfter] = String(seconds)
        return answer
    }

    static func tooLarge(_ longest: Int) -> Response {
        text(.contentTooLarge, "The body must not exceed \(longest) bytes")
    }

    static func unknownStore() -> Response { text(.notFound, "No publication sells in a store of this name") }

    static func methodNotAllowed() -> Response {
        var answer = text(.methodNotAllowed, "Messages are sent by POST")
        answer.headers[.allow] = "POST"
        return answer
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}
