import ContentGate
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Log lines of a request")
struct RequestLinesTests {
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        var value: [String] { all.withLock { $0 } }
        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    private static func publications(_ clock: ManualClock) throws -> ReloadableSnapshot {
        ReloadableSnapshot(
            ServingState(
                directory: PublicationDirectory(), gate: try Gate([], clock: clock.wall),
                backends: LiveBackendRegistry(),
                clients: ClientAddressResolver(trusted: [])))
    }

    private static func logger(_ lines: Lines, level: Logger.Level = .info) -> Logger {
        Logger(label: "test") { LineLogHandler(label: $0, level: level, format: .text) { lines.add($0) } }
    }

    private func lines(_ path: String, method: HTTPRequest.Method = .get) async throws -> [String] {
        let clock = ManualClock()
        let lines = Lines()
        let router = MainRouter(
            publications: try Self.publications(clock), clock: clock.wall, readiness: { .ready })
        let responder = RequestResponder(router.buildResponder(), logger: Self.logger(lines))
        let application = Application(
            router: router, server: HTTPServerBuilder { _ in GatefoldServer.plain(responder) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.live) { client in
            _ = try await client.execute(uri: path, method: method)
        }
        return lines.value.filter { $0.contains(" request=") }
    }

    @Test("All lines carry the request id")
    func oneID() async throws {
        let lines = try await lines("/auth-request/original-uri")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("Refused") == true)
        #expect(Self.ids(lines).count == 1)
    }

    @Test("Each request has its own id")
    func ownIDs() throws {
        let lines = Lines()
        try Self.respond(Self.logger(lines), times: 4)
        #expect(lines.value.count == 8)
        for request in 0..<4 where lines.value.count == 8 {
            let own = Array(lines.value[(2 * request)..<(2 * request + 2)])
            #expect(own[0].contains("Refused") && own[1].contains("status="))
            let id = try #require(Self.ids(own).first)
            #expect(Self.ids(own).count == 1 && id.count == 13)
        }
        #expect(Self.ids(lines.value).count == 4)
    }

    @Test("No lines are written below the log level")
    func quiet() throws {
        let lines = Lines()
        try Self.respond(Self.logger(lines, level: .notice), times: 4)
        #expect(lines.value.isEmpty)
    }

    /// Responds to plain requests for a denied download.
    private static func respond(_ logger: Logger, times: Int) throws {
        let clock = ManualClock()
        let router = MainRouter(
            publications: try publications(clock), clock: clock.wall, readiness: { .ready })
        let handler = PlainRequestHandler(RequestResponder(router.buildResponder(), logger: logger))
        let channel = EmbeddedChannel(handler: handler)
        defer { _ = try? channel.finish() }
        channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        for _ in 0..<times {
            try channel.writeInbound(
                ByteBuffer(
                    string: "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\n"
                        + "X-Original-URI: /content/a.zip\r\n\r\n"))
            #expect(!handler.isResponding)
            channel.embeddedEventLoop.run()
            #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
        }
    }

    /// Returns the request ids found in the lines.
    private static func ids(_ lines: [String]) -> Set<String> {
        Set(lines.compactMap { $0.matches(of: /request=([0-9a-z]+)/).first.map { String($0.1) } })
    }

    @Test(
        "A rejected request is logged too",
        arguments: [
            ("/nothing-here", HTTPRequest.Method.get, "404"), ("/healthz", .put, "404"), ("/a?b=1", .get, "404"),
        ])
    func rejections(path: String, method: HTTPRequest.Method, status: String) async throws {
        let lines = try await lines(path, method: method)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("status=\(status)") == true)
    }

    @Test("Pitfall 20: lines hold no query")
    func noQuery() async throws {
        let lines = try await lines("/sign_in?email=ada&password=marker-7f")
        #expect(!lines.isEmpty)
        #expect(!lines.contains { $0.contains("marker-7f") })
    }
}
