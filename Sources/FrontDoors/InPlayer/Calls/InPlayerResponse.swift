import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The responses that SDKs can read: always JSON, never an empty 200. ``NoCacheHeaders`` adds the no-cache headers.
///
/// Source: InPlayer protocol, “Generic success document” and “Errors”.
enum InPlayerResponse {
    static let type = "application/json"

    static func make(_ value: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(value))))
    }

    /// Returns a success document for calls without another result.
    ///
    /// It has the message twice, because Android's SDK shows `message` of some calls and `explain` of others, and
    /// fails if the member is missing.
    static func done(_ message: String) -> Response {
        make(["code": 200, "message": .string(message), "explain": .string(message)])
    }

    static func rejected(_ rejection: InPlayerRejection) -> Response {
        var members: [JSONValue.Member] = [
            .init(name: "code", value: .number(String(rejection.status.code))),
            .init(name: "message", value: .string(rejection.message)),
            // There is always an error, because Android's SDK otherwise shows the text of its parser exception.
            .init(
                name: "errors",
                value: .texts(rejection.errors.isEmpty ? ["error": rejection.message] : rejection.errors)),
        ]
        if let explain = rejection.explain { members.append(.init(name: "explain", value: .string(explain))) }
        var response = make(.object(members), rejection.status)
        if rejection.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if let wait = rejection.retryAfter { response.headers[.retryAfter] = String(wait) }
        if let allow = rejection.allow { response.headers[.allow] = allow }
        return response
    }
}

extension JSONValue {
    static func integer(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }

    /// Returns a time in Unix seconds. The year 1 represents "from the beginning".
    static func seconds(_ timestamp: Date?) -> JSONValue {
        guard let timestamp else { return .number("-62135596800") }
        return .number(String(Int64(max(-62_135_596_800, min(timestamp.timeIntervalSince1970, 253_402_300_799)))))
    }

    /// Returns an object of texts by their names.
    static func texts(_ texts: [String: String]) -> JSONValue {
        .object(texts.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .string($0.value)) })
    }
}
