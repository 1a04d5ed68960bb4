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

/// The same on the wire as Hummingbird's own, which most of these tests ask as well.
@Suite("A connection that holds little while it waits")
struct LeanHTTP1ChannelTests {
    enum Kind: CaseIterable {
        case hummingbirds
        /// Answers on other threads.
        case lean
        /// Answers on the event loop.
        case leanAndLight
    }

    @Test("answers request after request, sent one by one or all at once", arguments: Kind.allCases, [true, false])
    func order(kind: Kind, isPipelined: Bool) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                let requests = (0..<40).map { number in
                    number % 3 == 0 ? Self.post("/echo", "body \(number)") : Self.get("/text/\(number)")
                }
                if isPipelined { try await connection.send(requests.joined()) }
                for (number, request) in requests.enumerated() {
                    if !isPipelined { try await connection.send(request) }
                    let answer = try await connection.readAnswer()
                    #expect(answer.text == (number % 3 == 0 ? "body \(number)" : "\(number)"))
                }
            }
        }
    }

    @Test("hands a body over as it comes, and reads no more of it than somebody takes", arguments: Kind.allCases)
    func body(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send(
                    "POST /taken HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
                // Before the rest is sent.
                await server.until { $0.taken >= 2 }
                try await connection.send("3\r\ncde\r\n0\r\n\r\n")
                let answer = try await connection.readAnswer()
                #expect(answer.text == "5")
                // Far more than what waits on the way.
                let long = 3 << 20
                try await connection.send(Self.post("/taken", String(repeating: "a", count: long)))
                #expect(try await connection.readAnswer().text == "\(long)")
            }
        }
    }

    @Test("passes over a body that nobody wants, and answers what comes after", arguments: Kind.allCases)
    func unwanted(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                for length in [0, 1, 300, 2 << 20] {
                    try await connection.send(
                        Self.post("/ignored", String(repeating: "a", count: length)) + Self.get("/text/next"))
                    #expect(try await connection.readAnswer().text == "ignored")
                    #expect(try await connection.readAnswer().text == "next")
                }
            }
        }
    }

    @Test("begins to answer before the body is there", arguments: Kind.allCases)
    func early(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send("POST /ignored HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
                #expect(try await connection.readAnswer().text == "ignored")
                try await connection.send("abc" + Self.get("/text/next"))
                #expect(try await connection.readAnswer().text == "next")
            }
        }
    }

    @Test(
        "says that it can not read a request, and closes",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nnonsense\r\n",
        ], Kind.allCases)
    func unreadable(request: String, kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send(Self.get("/text/first"))
                #expect(try await connection.readAnswer().text == "first")
                try await connection.send(request)
                #expect(try await connection.readAnswer().status == 400)
                connection.finish()
                try await connection.readNothingMore()
            }
        }
    }

    @Test("closes after what it can not read when the server stops", arguments: Kind.allCases)
    func stoppingAfterRefusal(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send("nonsense\r\n\r\n")
                #expect(try await connection.readAnswer().status == 400)
                await server.stop()
                let stopped = ContinuousClock.now
                _ = try await connection.readToEnd()
                // Long before the patience with what is not finished is at its end.
                #expect(ContinuousClock.now - stopped < .seconds(15))
            }
        }
    }

    @Test("answers a request whose body breaks off once", arguments: Kind.allCases)
    func brokenBody(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            try await http.withConnection { connection in
                try await connection.send(
                    "POST /forgiving HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nnonsense\r\n")
                #expect(try await connection.readAnswer().text == "forgiven")
                connection.finish()
                try await connection.readNothingMore()
            }
        }
    }

    @Test("closes when it is asked to", arguments: Kind.allCases)
    func closing(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            let answer = try await http.send("GET", "/text/last")
            #expect(answer.text == "last")
        }
    }

    @Test(
        "has its last answer out before it ends, and before it says that it can not read what follows",
        arguments: Kind.allCases)
    func lastWord(kind: Kind) async throws {
        try await withServer(kind) { http, _ in
            // Which of two threads is first is seen only now and then.
            for number in 0..<300 {
                #expect(try await http.send("GET", "/text/\(number)").text == "\(number)")
                try await http.withConnection { connection in
                    try await connection.send(Self.get("/text/\(number)") + "nonsense\r\n\r\n")
                    #expect(try await connection.readAnswer().text == "\(number)")
                    #expect(try await connection.readAnswer().status == 400)
                }
            }
        }
    }

    @Test("answers what is light on its event loop, and nothing else")
    func loop() async throws {
        for kind in Kind.allCases {
            try await withServer(kind) { http, _ in
                let isOnLoop = try await http.send("GET", "/loop").text
                #expect(isOnLoop == "\(kind == .leanAndLight)")
            }
        }
    }

    @Test("still answers a client that has said all it will", arguments: Kind.allCases)
    func halfClosed(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            try await http.withConnection { connection in
                try await connection.send(Self.get("/slow") + Self.get("/text/next"))
                await server.until { $0.slow == 1 }
                connection.finish()
                server.letGo()
                #expect(try await connection.readAnswer().text == "slow")
                #expect(try await connection.readAnswer().text == "next")
                try await connection.readNothingMore()
            }
        }
    }

    @Test("finishes what it is asked when the server stops, and is closed", arguments: Kind.allCases)
    func stopping(kind: Kind) async throws {
        try await withServer(kind) { http, server in
            async let idle: Void = http.withConnection { connection in
                try await connection.send(Self.get("/text/first"))
                #expect(try await connection.readAnswer().text == "first")
                server.note { $0.isIdle = true }
                try await connection.readNothingMore()
                server.note { $0.isIdle = false }
            }
            try await http.withConnection { connection in
                try await connection.send(Self.get("/slow"))
                await server.until { $0.slow == 1 && $0.isIdle }
                await server.stop()
                await server.until { !$0.isIdle }
                server.letGo()
                #expect(try await connection.readAnswer().text == "slow")
                try await connection.readNothingMore()
            }
            try await idle
        }
    }

    @Test("does not wait for ever for who does not come to an end when the server stops", arguments: Kind.allCases)
    func stoppingInHaste(kind: Kind) async throws {
        try await withServer(kind, patience: .milliseconds(200)) { http, server in
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

/// What a test does to the server, and sees of it.
private final class ServerHandle: Sendable {
    struct Seen {
        /// Bytes of bodies that were taken.
        var taken = 0
        /// Requests that take long.
        var slow = 0
        /// Whether a connection waits.
        var isIdle = false
    }

    private let seen = Mutex(Seen())
    private let gate = AsyncStream<Void>.makeStream()
    private let stopping: @Sendable () async -> Void

    init(stopping: @escaping @Sendable () async -> Void) { self.stopping = stopping }

    func note(_ change: (inout Seen) -> Void) { seen.withLock { change(&$0) } }
    func until(_ isSo: (Seen) -> Bool) async {
        while !seen.withLock({ isSo($0) }) { try? await Task.sleep(for: .milliseconds(2)) }
    }
    func letGo() { gate.continuation.finish() }
    func wait() async { for await _ in gate.stream {} }
    func stop() async { await stopping() }
}

/// - Parameters:
///   - kind: of the connections.
///   - patience: when the server stops, for what is not finished.
private func withServer(
    _ kind: LeanHTTP1ChannelTests.Kind, patience: Duration = .seconds(20),
    _ body: @escaping @Sendable (RawHTTP, ServerHandle) async throws -> Void
) async throws {
    let group = Mutex<ServiceGroup?>(nil)
    let handle = ServerHandle { await group.withLock { $0 }?.triggerGracefulShutdown() }
    let router = Router()
    router.get("text/{text}") { _, context in try context.parameters.require("text") }
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
            handle.note { $0.taken += bytes.readableBytes }
        }
        return "\(count)"
    }
    router.get("loop") { _, _ in "\(MultiThreadedEventLoopGroup.currentEventLoop != nil)" }
    router.get("slow") { _, _ in
        handle.note { $0.slow += 1 }
        await handle.wait()
        return "slow"
    }
    router.get("asleep") { _, _ in
        handle.note { $0.slow += 1 }
        try await Task.sleep(for: .seconds(600))
        return "slept"
    }
    let ports = AsyncStream<Int>.makeStream()
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
        router: router,
        server: HTTPServerBuilder { responder in
            let patience = GatefoldServer.patience
            guard kind != .hummingbirds else {
                let own = HTTP1Channel(responder: responder, configuration: GatefoldServer.http1())
                return GuardedChannel(wrapped: own, patience: patience)
            }
            let lean = LeanHTTP1Channel(
                responder: responder, configuration: GatefoldServer.http1(hasFastLane: true),
                isLight: { _ in kind == .leanAndLight })
            return GuardedChannel(wrapped: lean, patience: patience)
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) }, logger: quiet)
    var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
    configuration.maximumGracefulShutdownDuration = patience
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
