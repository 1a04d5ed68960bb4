import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOPosix
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Server

/// The behaviour on the wire equals that of Hummingbird's own channel, which most tests check too.
@Suite("HTTP/1 server channel")
struct HTTP1ServerChannelTests {
    enum Kind: CaseIterable {
        case hummingbirds
        case own
    }

    @Test("Responds to requests in order, sent one by one or pipelined", arguments: Kind.allCases, [true, false])
    func order(kind: Kind, isPipelined: Bool) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                let requests = (0..<40).map { number in
                    number % 3 == 0 ? Self.post("/echo", "body \(number)") : Self.get("/text/\(number)")
                }
                if isPipelined { try await connection.send(requests.joined()) }
                for (number, request) in requests.enumerated() {
                    if !isPipelined { try await connection.send(request) }
                    let response = try await connection.readResponse()
                    #expect(response.text == (number % 3 == 0 ? "body \(number)" : "\(number)"))
                }
            }
        }
    }

    @Test("Streams a request body and reads no more of it than the handler consumes", arguments: Kind.allCases)
    func body(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send(
                    "POST /taken HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
                // The handler receives the first chunk before the rest is sent.
                await server.until { $0.taken >= 2 }
                try await connection.send("3\r\ncde\r\n0\r\n\r\n")
                let response = try await connection.readResponse()
                #expect(response.text == "5")
                // Much more than the buffers on the way hold.
                let long = 3 << 20
                try await connection.send(Self.post("/taken", String(repeating: "a", count: long)))
                #expect(try await connection.readResponse().text == "\(long)")
            }
        }
    }

    @Test("Skips an unread body and responds to the next request", arguments: Kind.allCases)
    func unwanted(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                for length in [0, 1, 300, 2 << 20] {
                    try await connection.send(
                        Self.post("/ignored", String(repeating: "a", count: length)) + Self.get("/text/next"))
                    #expect(try await connection.readResponse().text == "ignored")
                    #expect(try await connection.readResponse().text == "next")
                }
            }
        }
    }

    @Test("Responds before the body has arrived", arguments: Kind.allCases)
    func early(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send("POST /ignored HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
                #expect(try await connection.readResponse().text == "ignored")
                try await connection.send("abc" + Self.get("/text/next"))
                #expect(try await connection.readResponse().text == "next")
            }
        }
    }

    @Test(
        "Responds 400 to an unreadable request and closes",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nnonsense\r\n",
        ], Kind.allCases)
    func unreadable(request: String, kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send(Self.get("/text/first"))
                #expect(try await connection.readResponse().text == "first")
                try await connection.send(request)
                #expect(try await connection.readResponse().status == 400)
                connection.finish()
                try await connection.readNothingMore()
            }
        }
    }

    @Test("Closes after an unreadable request when the server stops", arguments: Kind.allCases)
    func stoppingAfterRejection(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send("nonsense\r\n\r\n")
                #expect(try await connection.readResponse().status == 400)
                await server.stop()
                let stopped = ContinuousClock.now
                _ = try await connection.readToEnd()
                // Well before the timeout for unfinished connections.
                #expect(ContinuousClock.now - stopped < .seconds(15))
            }
        }
    }

    @Test("Responds once to a request whose body breaks off", arguments: Kind.allCases)
    func brokenBody(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send(
                    "POST /forgiving HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nnonsense\r\n")
                #expect(try await connection.readResponse().text == "forgiven")
                connection.finish()
                try await connection.readNothingMore()
            }
        }
    }

    @Test("Closes after `Connection: close`", arguments: Kind.allCases)
    func closing(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            let response = try await http.send("GET", "/text/last")
            #expect(response.text == "last")
        }
    }

    @Test(
        "Writes the last response before it closes and before it rejects what follows",
        arguments: Kind.allCases)
    func lastMessage(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            // A race between two threads shows up only occasionally.
            for number in 0..<300 {
                #expect(try await http.send("GET", "/text/\(number)").text == "\(number)")
                try await http.withConnection { connection in
                    try await connection.send(Self.get("/text/\(number)") + "nonsense\r\n\r\n")
                    #expect(try await connection.readResponse().text == "\(number)")
                    #expect(try await connection.readResponse().status == 400)
                }
            }
        }
    }

    @Test("Runs requests on the event loop of their connection")
    func loop() async throws {
        try await withServer(.own) { http, _ in
            for method in ["GET", "POST", "DELETE"] {
                let text = try await http.send(method, "/loop").text
                #expect(text == "true true")
            }
        }
    }

    @Test("Responds to a client that closed its output", arguments: Kind.allCases)
    func halfClosed(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send(Self.get("/slow") + Self.get("/text/next"))
                await server.until { $0.slow == 1 }
                connection.finish()
                server.letGo()
                #expect(try await connection.readResponse().text == "slow")
                #expect(try await connection.readResponse().text == "next")
                try await connection.readNothingMore()
            }
        }
    }

    @Test("Completes requests under way when the server stops, and closes", arguments: Kind.allCases)
    func stopping(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            async let idle: Void = http.withConnection { connection in
                try await connection.send(Self.get("/text/first"))
                #expect(try await connection.readResponse().text == "first")
                server.record { $0.isIdle = true }
                try await connection.readNothingMore()
                server.record { $0.isIdle = false }
            }
            try await http.withConnection { connection in
                try await connection.send(Self.get("/slow"))
                await server.until { $0.slow == 1 && $0.isIdle }
                await server.stop()
                await server.until { !$0.isIdle }
                server.letGo()
                #expect(try await connection.readResponse().text == "slow")
                try await connection.readNothingMore()
            }
            try await idle
        }
    }

    @Test("Closes an unfinished connection at the end of the shutdown grace", arguments: Kind.allCases)
    func stoppingInHaste(kind: Kind) async throws {
        try await withServer(kind, stallTimeout: .milliseconds(200)) { http, server in
            try await http.withConnection { connection in
                try await connection.send(Self.get("/asleep"))
                await server.until { $0.slow == 1 }
                await server.stop()
                _ = try await connection.readToEnd()
            }
        }
    }

    private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }

    private static func post(_ target: String, _ body: String) -> String {
        "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

/// Controls the server of a test and records its activity.
private final class ServerHandle: Sendable {
    struct Seen {
        /// The number of body bytes that were read.
        var taken = 0
        /// The number of slow requests that started.
        var slow = 0
        /// A Boolean value that indicates whether a connection is idle.
        var isIdle = false
    }

    private let seen = Mutex(Seen())
    private let gate = AsyncStream<Void>.makeStream()
    private let stopping: @Sendable () async -> Void

    init(stopping: @escaping @Sendable () async -> Void) { self.stopping = stopping }

    func record(_ change: (inout Seen) -> Void) { seen.withLock { change(&$0) } }
    func until(_ condition: (Seen) -> Bool) async {
        while !seen.withLock({ condition($0) }) { try? await Task.sleep(for: .milliseconds(2)) }
    }
    func letGo() { gate.continuation.finish() }
    func wait() async { for await _ in gate.stream {} }
    func stop() async { await stopping() }
}

/// - Parameters:
///   - kind: The kind of connections.
///   - stallTimeout: The shutdown grace for unfinished connections.
private func withServer(
    _ kind: HTTP1ServerChannelTests.Kind, stallTimeout: Duration = .seconds(20),
    _ body: @escaping @Sendable (RawHTTP, ServerHandle) async throws -> Void
) async throws {
    let group = Mutex<ServiceGroup?>(nil)
    let handle = ServerHandle { await group.withLock { $0 }?.triggerGracefulShutdown() }
    let router = Router(context: GatefoldRequestContext.self)
    router.get("text/{text}") { request, _ in String(request.uri.path.dropFirst("/text/".count)) }
    router.post("echo") { request, _ in try await request.body.collect(upTo: 1 << 20) }
    router.post("ignored") { _, _ in "ignored" }
    router.post("forgiving") { request, _ in
        _ = try? await request.body.collect(upTo: 1 << 20)
        return "forgiven"
    }
    router.post("taken") { request, _ in
        var count = 0
        for try await bytes in request.body {
            count += bytes.readableBytes
            handle.record { $0.taken += bytes.readableBytes }
        }
        return "\(count)"
    }
    for method in [HTTPRequest.Method.get, .post, .delete] {
        router.on("loop", method: method) { _, _ in
            let before = MultiThreadedEventLoopGroup.currentEventLoop != nil
            try await Task.sleep(for: .milliseconds(1))
            return "\(before) \(MultiThreadedEventLoopGroup.currentEventLoop != nil)"
        }
    }
    router.get("slow") { _, _ in
        handle.record { $0.slow += 1 }
        await handle.wait()
        return "slow"
    }
    router.get("asleep") { _, _ in
        handle.record { $0.slow += 1 }
        try await Task.sleep(for: .seconds(600))
        return "slept"
    }
    let ports = AsyncStream<Int>.makeStream()
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let requestResponder = RequestResponder(router.buildResponder(), logger: quiet)
    let application = Application(
        router: router,
        server: HTTPServerBuilder { responder in
            let stallTimeout = GatefoldServer.stallTimeout
            guard kind != .hummingbirds else {
                let own = HTTP1Channel(responder: responder, configuration: GatefoldServer.http1())
                return TimeoutGuardedChannel(wrapped: own, stallTimeout: stallTimeout)
            }
            return GatefoldServer.plain(requestResponder, stallTimeout: stallTimeout)
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) }, logger: quiet)
    var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
    configuration.maximumGracefulShutdownDuration = stallTimeout
    let running = ServiceGroup(configuration: configuration)
    group.withLock { $0 = running }
    let run = Task { try await running.run() }
    var iterator = ports.stream.makeAsyncIterator()
    let port = try #require(await iterator.next())
    let result = await Task { try await body(RawHTTP(port: port), handle) }.result
    handle.letGo()
    await handle.stop()
    _ = await run.result
    try result.get()
}
