import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The responses that SDKs can read: always JSON, never an empty 200 (PROTOCOLS 5.3). No-cache headers are not their business.
enum InPlayerAnswer {
    static let type = "application/json"

    static func make(_ value: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(value))))
    }

    /// That something was done, for calls whose result is nothing else.
    ///
    /// Twice: Android's SDK shows `message` of some calls and `explain` of others, and fails where that is missing.
    static func done(_ message: String) -> Response {
        make(["code": 200, "message": .string(message), "explain": .string(message)])
    }

    static func refused(_ refusal: InPlayerRefusal) -> Response {
        var members: [JSONValue.Member] = [
            .init(name: "code", value: .number(String(refusal.status.code))),
            .init(name: "message", value: .string(refusal.message)),
            // There is always one: of an error that has none, Android's SDK shows how it failed to read it.
            .init(name: "errors", value: .texts(refusal.errors.isEmpty ? ["error": refusal.message] : refusal.errors)),
        ]
        if let explain = refusal.explain { members.append(.init(name: "explain", value: .string(explain))) }
        var response = make(.object(members), refusal.status)
        if refusal.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if let wait = refusal.retryAfter { response.headers[.retryAfter] = String(wait) }
        if let allow = refusal.allow { response.headers[.allow] = allow }
        return response
    }
}

extension JSONValue {
    static func whole(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }

    /// In Unix seconds; the year 1 stands for "from the beginning".
    static func seconds(_ moment: Date?) -> JSONValue {
        guard let moment else { return .number("-62135596800") }
        return .number(String(Int64(max(-62_135_596_800, min(moment.timeIntervalSince1970, 253_402_300_799)))))
    }

    /// An object of texts by their names.
    static func texts(_ texts: [String: String]) -> JSONValue {
        .object(texts.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .string($0.value)) })
    }
}
