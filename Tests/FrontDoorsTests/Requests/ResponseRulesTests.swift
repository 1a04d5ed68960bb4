import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Rules of all responses")
struct ResponseRulesTests {
    private struct Broken: Error {}

    private func withClient(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        var routes = Routes()
        routes.on("/a") { _, _ in
            Response(status: .notFound, body: ResponseBody(byteBuffer: ByteBuffer(string: "not found")))
        }
        routes.on("/broken") { _, _ in throw Broken() }
        try await Application(responder: RuledResponder(table: RouteTable(routes))).test(.router, body)
    }

    @Test("A response to HEAD has no body, but the Content-Length of GET")
    func head() async throws {
        try await withClient { client in
            let head = try await client.execute(uri: "/a", method: .head)
            #expect(head.status == .notFound && head.body.readableBytes == 0)
            #expect(head.headers[.contentLength] == "9")
            #expect(try await client.execute(uri: "/a", method: .get).body.readableBytes == 9)
        }
    }

    @Test("An unexpected error becomes status 500, and a path without a route 404")
    func errors() async throws {
        try await withClient { client in
            let broken = try await client.execute(uri: "/broken", method: .get)
            #expect(broken.status == .internalServerError)
            let missing = try await client.execute(uri: "/b", method: .get)
            #expect(missing.status == .notFound)
        }
    }

    @Test(
        "Accepts a path, a complete URL, and an asterisk for OPTIONS as the target",
        arguments: [
            ("/a", true), ("/", true), ("http://a/b", true), ("HTTPS://a/b", true), ("a", false), ("", false),
            ("*", false), ("ftp://a/b", false),
        ])
    func targets(_ target: String, isValid: Bool) {
        #expect(ResponseRules.hasTargetForm(target, method: .get) == isValid)
        #expect(ResponseRules.hasTargetForm("*", method: .options))
    }
}
