import ContentGate
import FrontDoors
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Primitives
import TestSupport
import Testing

@testable import Server

/// Tests that plain requests get the same responses as requests that pass NIO's parser and Hummingbird's channel, byte for
/// byte and in order.
@Suite("Serving of plain requests")
struct PlainRequestServingTests {
    private static let configuration = """
        \(ConfigurationTests.minimal)
            default: true
            content: {root: editions}
            catalogue:
              - {id: ed-1, published: 2026-01-01}
              - {id: free, published: 2026-01-02, free: true}
        """

    @Test("Responds to a plain request at once and passes every other request on unchanged")
    func responses() async throws {
        try await withRouter { router in
            let handler = PlainRequestHandler(Self.responder(router))
            let channel = EmbeddedChannel(handler: handler)
            defer { _ = try? channel.finish() }
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            #expect(!handler.isResponding)
            channel.embeddedEventLoop.run()
            let response = try #require(try channel.readOutbound(as: ByteBuffer.self))
            #expect(String(buffer: response).hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(try channel.readInbound(as: ByteBuffer.self) == nil)

            let other = "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            try channel.writeInbound(ByteBuffer(string: other))
            #expect(try channel.readInbound(as: ByteBuffer.self).map { String(buffer: $0) } == other)
            // The response to that request is not out yet.
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            channel.embeddedEventLoop.run()
            #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        }
    }

    static let targets = [
        "/verify_subscription", "/verify_subscription/", "/verify_subscription?token=x",
        "/daily/verify_subscription?token=x",
        "/daily/verify_subscription/?token=x&token=", "/other/verify_subscription?token=x",
        "/verify_subscription?token=%zz&a=b+c",
        "//verify_subscription?token=x", "/verify_subscription?" + String(repeating: "a=b&", count: 200),
        "/edition_credentials",
        "/edition_credentials?token=x&product_id=ed-1", "/edition_credentials?product_id=free",
        "/edition_credentials/?token=%00",
        "/sign_in?username=a&password=b", "/healthz", "/readyz", "/content/daily/free.hpub", "/content/daily/ed-1.hpub",
        "/nowhere", "/auth-request/original-uri",
        "/auth-request/original-uri?a=b",
    ]

    @Test("Responds like Hummingbird's own channel", arguments: targets, ["GET", "POST"])
    func same(target: String, method: String) async throws {
        try await withRouter { router in
            let variants: [[(String, String)]] = [
                [], [("Accept-Language", "de")], [("Connection", "keep-alive")], [("X-Forwarded-For", "192.0.2.1")],
                [("X-Original-URI", "/content/daily/free.hpub")], [("X-Original-URI", "/content/daily/ed-1.hpub")],
                [("X-Original-URI", "/content/daily/ed-1.hpub"), ("Authorization", "Basic YTpi")],
                [("X-Original-URI", "/content/daily/free.hpub"), ("X-Original-Method", "POST")],
                [("X-Original-URI", "/content/daily/%2e%2e/free.hpub")], [("Content-Length", "0")],
                [("Range", "bytes=1-")],
            ]
            let requests = variants.map { fields in
                method == "GET" ? Self.get(target, fields) : Self.post(target, fields, "token=x&product_id=ed-1")
            }
            let expected = try await Self.exchange(requests, router, isReference: true)
            let responses = try await Self.exchange(requests, router)
            for (number, request) in requests.enumerated() {
                #expect(responses[number] == expected[number], "\(request)")
            }
        }
    }

    @Test("Preserves the order of pipelined requests in any fragmentation")
    func order() async throws {
        try await withRouter { router in
            let requests: [(bytes: String, isHead: Bool, status: Int)] = [
                (Self.get("/verify_subscription?token=x"), false, 200), (Self.get("/healthz"), false, 200),
                (Self.get("/nowhere"), false, 404), (Self.get("/edition_credentials?token=y"), false, 200),
                ("POST /verify_subscription HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\ntoken=x", false, 200),
                ("HEAD /edition_credentials HTTP/1.1\r\nHost: a\r\n\r\n", true, 200),
                ("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n\r\n\r\n", false, 404),
            ]
            try await Self.application(router).test(.live) { client in
                let http = RawHTTP(port: client.port ?? 0)
                for seed in 0..<40 as Range<UInt64> {
                    try await http.withConnection { connection in
                        var random = SeededRandom(seed: seed)
                        let chosen = (0..<12).map { _ in requests[Int.random(in: 0..<requests.count, using: &random)] }
                        var bytes = Array(chosen.map(\.bytes).joined().utf8)[...]
                        while !bytes.isEmpty {
                            let count = Int.random(in: 1...min(bytes.count, 90), using: &random)
                            try await connection.send(Array(bytes.prefix(count)))
                            bytes = bytes.dropFirst(count)
                            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
                        }
                        for request in chosen {
                            let response = try await connection.readResponse(isHead: request.isHead)
                            #expect(response.status == request.status, "seed \(seed): \(request.bytes)")
                            let isDocument = request.bytes.contains("subscription")
                            #expect(response.text.contains("<subscription") == isDocument, "seed \(seed)")
                        }
                    }
                }
            }
        }
    }

    @Test("Pitfall 15: a body is never a plain request, even behind a request that had its response in the same bytes")
    func bodyBehindResponse() async throws {
        try await withRouter { router in
            try await Self.application(router).test(.live) { client in
                try await RawHTTP(port: client.port ?? 0).withConnection { connection in
                    let body = Self.get("/healthz")
                    try await connection.send(
                        "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\nPOST /verify_subscription HTTP/1.1\r\nHost: a\r\n"
                            + "Content-Length: \(body.utf8.count)\r\n\r\n")
                    #expect(try await connection.readResponse(isHead: true).status == 200)
                    try await connection.send(body + Self.get("/nowhere"))
                    #expect(try await connection.readResponse().text.contains("<subscription"))
                    #expect(try await connection.readResponse().status == 404)
                }
            }
        }
    }

    static func get(_ target: String, _ fields: [(String, String)] = []) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }

    static func post(_ target: String, _ fields: [(String, String)], _ body: String) -> String {
        let length = [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "\(body.utf8.count)")]
        return "POST \(target) HTTP/1.1\r\nHost: a\r\n"
            + (fields.filter { $0.0 != "Content-Length" } + length).map { "\($0): \($1)\r\n" }.joined() + "\r\n" + body
    }

    /// Returns the responses without their dates and request ids, each to a request on its own connection.
    ///
    /// - Parameter isReference: A Boolean value that selects Hummingbird's own channel.
    static func exchange(
        _ requests: [String], _ router: MainRouter, isReference: Bool = false
    ) async throws -> [[String]] {
        try await application(router, isReference: isReference).test(.live) { client in
            let http = RawHTTP(port: client.port ?? 0)
            var responses: [[String]] = []
            for request in requests {
                let response = try await http.exchange(Array(request.utf8))
                let fields = response.fields.filter { $0.name != "X-Request-Id" }
                    .map { $0.name == "Date" ? "Date" : "\($0.name): \($0.value)" }
                responses.append(["\(response.status)"] + fields + [response.text])
            }
            return responses
        }
    }

    /// Returns the response to a request as lines without the date and the request id. The body is the last line, or the last lines.
    static func lines(
        ofResponseTo request: String, _ router: MainRouter, isReference: Bool = false
    ) async throws -> [String] {
        try await application(router, isReference: isReference).test(.live) { client in
            try await RawHTTP(port: client.port ?? 0).withConnection { connection in
                try await connection.send(request)
                var bytes: [UInt8] = []
                while !isComplete(bytes), let more = try await connection.read() { bytes += more }
                return lines(of: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    static func lines(of response: String) -> [String] {
        response.split(separator: "\r\n", omittingEmptySubsequences: false).filter {
            !$0.hasPrefix("X-Request-Id: ")
        }.map { line in
            line.hasPrefix("Date: ") ? "Date" : String(line)
        }
    }

    private static func isComplete(_ response: [UInt8]) -> Bool {
        guard let head = response.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let name = "Content-Length: "
        let length = lines(of: String(decoding: response[..<head.lowerBound], as: UTF8.self))
            .first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
        return length.map { response.count - head.upperBound >= $0 } ?? false
    }

    static func responder(_ router: MainRouter) -> RequestResponder {
        RequestResponder(router.buildResponder(), logger: quiet)
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func application(
        _ router: MainRouter, isReference: Bool = false
    ) -> some ApplicationProtocol {
        let own = responder(router)
        return Application(
            router: router,
            server: HTTPServerBuilder { responder in
                guard isReference else { return GatefoldServer.plain(own) }
                // A client that connects during the stop must not crash the program.
                return TimeoutGuardedChannel(
                    wrapped: HTTP1Channel(responder: responder, configuration: GatefoldServer.http1()),
                    stallTimeout: GatefoldServer.stallTimeout)
            },
            logger: quiet)
    }

    func withRouter(_ body: (MainRouter) async throws -> Void) async throws {
        try await withParts(Self.configuration) { parts, configuration in
            let publications = ReloadableSnapshot(try parts.assemble(configuration))
            try await body(MainRouter(publications: publications, clock: .system, readiness: { .ready }))
        }
    }
}
