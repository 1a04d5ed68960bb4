import Foundation
import Gatefold
import NIOCore
import NIOPosix
import NIOSSL
import Primitives
import Synchronization
import TestSupport

@testable import Conformance

/// A small compliant endpoint and gate with the test users. A defect breaks it in one way.
///
/// It shares no code with Gatefold, so that the two cannot have a mistake in common.
struct FakePublisherServer: Sendable {
    static let secret = "0b5e1f3a7c9d of the stand-in"
    static let first = "com.pugpig.edition0001"
    static let second = "com.pugpig.edition0002"
    static let file = Array("the bytes of an edition that somebody paid for".utf8)

    /// Changes a response just before it is sent.
    var serverDefect: @Sendable (FakeServerRequest, inout FakeResponse) -> Void = { _, _ in }
    private let numbers = Counter()

    init(_ serverDefect: @escaping @Sendable (FakeServerRequest, inout FakeResponse) -> Void = { _, _ in }) {
        self.serverDefect = serverDefect
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    func response(_ request: FakeServerRequest) -> FakeResponse {
        var response = plainResponse(request)
        if request.method == "HEAD" { response.isHead = true }
        serverDefect(request, &response)
        return response
    }

    private func plainResponse(_ request: FakeServerRequest) -> FakeResponse {
        if request.path.hasPrefix("/content/") { return content(request) }
        let calls = Call.allCases.map(\.rawValue)
        guard calls.contains(request.call), request.path.split(separator: "/").count == 2 else {
            return .text(404, "Not found")
        }
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            var response = FakeResponse.text(405, "Method not allowed")
            response.set("Allow", "GET, HEAD, POST")
            return response
        }
        switch request.call {
        case "sign_in": return signIn(request)
        case "renew_token": return renew(request)
        case "verify_subscription": return verify(request)
        case "edition_credentials": return credentials(request)
        default: return .text(200, "Signed out")
        }
    }

    // MARK: Calls

    private static let users = [
        "activeall", "activenone", "activesome", "activeglobal", "lapsedall", "lapsednone", "lapsedsome",
        "lapsedglobal", "yesbyproxy", "longjson", "credserror", "expiredtoken", "blockedtoken", "alwaysstaletoken",
        "peter", "200-500-500", "200-200-500",
    ]

    private func signIn(_ request: FakeServerRequest) -> FakeResponse {
        let user = request["username"] ?? ""
        if user == "500-500-500" { return failure }
        guard Self.users.contains(user), user != "peter" || request["password"] == "pan" else {
            return document("<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
        }
        return tokenDocument(Self.token(user))
    }

    private func tokenDocument(_ token: String) -> FakeResponse {
        let hasOwnFeed = ["activeglobal", "lapsedglobal"].map(Self.token).contains(token)
        let password = hasOwnFeed ? Self.hash("", token) : nil
        let attribute = password.map { " global_auth_password=\"\($0)\"" } ?? ""
        return document("<token\(attribute)>\(Self.escape(token))</token>")
    }

    private func renew(_ request: FakeServerRequest) -> FakeResponse {
        switch Self.user(request["token"]) {
        case "expiredtoken": tokenDocument(Self.token("activeall"))
        case "alwaysstaletoken": tokenDocument((request["token"] ?? "") + "X")
        case let user? where user != "blockedtoken": tokenDocument(Self.token(user))
        default: document("<error status=\"notrecognised\" message=\"Sign in again\"/>")
        }
    }

    private func verify(_ request: FakeServerRequest) -> FakeResponse {
        let odd = stride(from: 1, through: 100, by: 2).map {
            String(format: "<issue>com.pugpig.edition%04d</issue>", $0)
        }
        let list = "<issues>\(odd.joined())</issues>"
        return switch Self.user(request["token"]) {
        case "200-500-500": failure
        case "activeall", "activeglobal", "yesbyproxy", "longjson", "credserror", "peter", "200-200-500":
            subscription("active", "")
        case "activenone": subscription("active", "<issues/>")
        case "activesome": subscription("active", list)
        case "lapsedall", "lapsedglobal": subscription("inactive", "")
        case "lapsednone": subscription("inactive", "<issues></issues>")
        case "lapsedsome": subscription("inactive", list)
        default: subscription("stale", "<issues/>")
        }
    }

    private func subscription(_ state: String, _ issues: String) -> FakeResponse {
        document(
            "<subscription state=\"\(state)\" message=\"A word\"><!-- Generated --><userinfo><category scheme=\"a\" term=\"b\" "
                + "value=\"b\"/></userinfo>\(issues)</subscription>")
    }

    private func credentials(_ request: FakeServerRequest) -> FakeResponse {
        let user = Self.user(request["token"])
        if ["200-500-500", "200-200-500"].contains(user) { return failure }
        let product = request["product_id"] ?? ""
        let isOdd = Int(product.suffix(1)).map { $0 % 2 == 1 } ?? false
        let isGranted =
            switch user {
            case "activeall", "activeglobal", "longjson", "peter": !product.isEmpty
            case "activesome", "lapsedsome": isOdd
            default: false
            }
        guard isGranted else {
            return document("<credentials><error status=\"notentitled\" message=\"Sorry\"/></credentials>")
        }
        return grant(product, userid: "salt\(numbers.next())")
    }

    func grant(_ product: String, userid: String) -> FakeResponse {
        document(
            "<credentials><userid>\(userid)</userid><password>\(Self.hash(product, userid))</password>"
                + "<header name=\"X-Edge\">a&amp;b</header></credentials>")
    }

    private var failure: FakeResponse {
        var response = FakeResponse.text(503, "Temporarily unavailable")
        response.set("Retry-After", "30")
        return response
    }

    func document(_ root: String) -> FakeResponse {
        FakeResponse("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(root)")
    }

    // MARK: Gate

    private func content(_ request: FakeServerRequest) -> FakeResponse {
        let files = [Self.first, Self.second].map { "/content/\($0).zip" }
        let pair =
            request.header("Authorization").flatMap { value in
                value.hasPrefix("Basic ") ? Data(base64Encoded: String(value.dropFirst(6))) : nil
            }.map { String(decoding: $0, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init) } ?? []
        let edition = String(request.path.dropFirst("/content/".count).dropLast(4))
        guard pair.count == 2, files.contains(request.path),
            Self.hash(edition, pair[0]).utf8.elementsEqual(pair[1].utf8)
        else { return .text(403, "Forbidden") }
        return Self.opened(request)
    }

    static func opened(_ request: FakeServerRequest) -> FakeResponse {
        var response = FakeResponse.text(200, "")
        response.body = file
        response.set("Content-Type", "application/zip")
        response.set("Cache-Control", "private, max-age=60")
        response.set("ETag", "\"1\"")
        if request.header("Range") == "bytes=0-15" {
            response.status = 206
            response.body = Array(file[..<16])
            response.set("Content-Range", "bytes 0-15/\(file.count)")
        }
        return response
    }

    // MARK: Texts

    static func token(_ user: String) -> String {
        user == "longjson" ? String(repeating: "{\"a\": 'b:<c>&d'}\n", count: 200) : String(user.reversed())
    }

    /// Every `X` is removed from a token before it is read.
    static func user(_ token: String?) -> String? {
        guard let bare = token?.filter({ $0 != "X" }) else { return nil }
        return users.first { Self.token($0) == bare }
    }

    static func hash(_ edition: String, _ salt: String) -> String {
        EditionID(edition).map { EditionPassword.make(edition: $0, salt: salt, secret: Secret(secret)) }
            ?? EditionPassword.makeForFeed(token: salt, secret: Secret(secret))
    }

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
