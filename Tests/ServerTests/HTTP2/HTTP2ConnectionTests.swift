import HTTPTypes
import Hummingbird
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("HTTP/2 connection", .timeLimit(.minutes(5)))
struct HTTP2ConnectionTests {
    private typealias Connection = HTTP2TestConnection

    private static let echo: Connection.Respond = { request in
        let body = try await request.body.collect(upTo: 1 << 22)
        return Response(
            status: .ok,
            body: ResponseBody(byteBuffer: body.readableBytes == 0 ? ByteBuffer(string: request.uri.path) : body))
    }

    @Test("Responds to requests with and without a body, with trailers, and to all in one write")
    func exchanges() async throws {
        try await Connection.run(Self.echo) { connection in
            let text = ByteBuffer(string: "text")
            try await connection.send([
                (1, Connection.head("/one", isLast: true)),
                (3, Connection.head("/two", [("content-length", "4")], method: "POST", isLast: false)),
                (5, Connection.head("/three", method: "POST", isLast: false)),
                (3, Connection.data(text, isLast: true)),
                (5, Connection.data(text, isLast: false)),
                (7, Connection.head("/four", method: "POST", isLast: false)),
                (5, .headers(.init(headers: ["x": "y"], endStream: true))),
                (7, Connection.data(ByteBuffer(), isLast: true)),
            ])
            for (id, body) in [(1, "/one"), (3, "text"), (5, "text"), (7, "/four")] as [(HTTP2StreamID, String)] {
                let response = try await connection.response(on: id)
                #expect(response.statuses == [200] && response.isComplete && String(buffer: response.body) == body)
            }
        }
    }

    @Test(
        "A wrong request is reset, and the others on its connection get their responses",
        arguments: [[("content-length", "5")], [("connection", "close")], [("Upper", "case")]])
    func wrongRequest(fields: [(String, String)]) async throws {
        try await Connection.run(Self.echo) { connection in
            let text = ByteBuffer(string: "text")
            try await connection.send([
                (1, Connection.head("/a", [("content-length", "4")], method: "POST", isLast: false)),
                (3, Connection.head("/b", fields, method: "POST", isLast: false)),
                (3, Connection.data(text, isLast: true)),
            ])
            #expect(try await connection.response(on: 3).reset == HTTP2ErrorCode.protocolError.networkCode)
            try await connection.send([
                (1, Connection.data(text, isLast: true)), (5, Connection.head("/c", isLast: true)),
            ])
            #expect(try await connection.response(on: 1).statuses == [200])
            #expect(try await connection.response(on: 5).statuses == [200])
            #expect(connection.goAway == nil)
        }
    }

    @Test("A response may begin before its request is complete, and the rest of the request is skipped")
    func early() async throws {
        try await Connection.run({ _ in Response(status: .notFound) }) { connection in
            let length = 300_000
            try await connection.send([
                (1, Connection.head("/a", [("content-length", "\(length)")], method: "POST", isLast: false))
            ])
            let response = try await connection.response(on: 1)
            #expect(response.statuses == [404] && response.isComplete && response.reset == nil)
            try await connection.send([
                (1, Connection.data(ByteBuffer(repeating: 1, count: length), isLast: true)),
                (3, Connection.head("/b", isLast: true)),
            ])
            // The client sends the second request at once, and the rest of the body as the windows open.
            #expect(try await connection.response(on: 3).statuses == [404])
            while connection.windowUpdates[1, default: 0] < length - 2 * HTTP2ReceiveWindow.size {
                try await connection.next()
            }
        }
    }

    @Test("The client is told to continue when the body is wanted")
    func expectation() async throws {
        try await Connection.run(Self.echo) { connection in
            let fields = [("content-length", "4"), ("expect", "100-continue")]
            try await connection.send([(1, Connection.head("/a", fields, method: "POST", isLast: false))])
            while connection.responses[1]?.statuses != [100] { try await connection.next() }
            try await connection.send([(1, Connection.data(ByteBuffer(string: "text"), isLast: true))])
            let response = try await connection.response(on: 1)
            #expect(response.statuses == [100, 200] && String(buffer: response.body) == "text")
        }
    }

    @Test("The client is not told to continue if the body is not wanted")
    func rejection() async throws {
        try await Connection.run({ _ in Response(status: .contentTooLarge) }) { connection in
            let fields = [("content-length", "900000"), ("expect", "100-continue")]
            try await connection.send([(1, Connection.head("/a", fields, method: "POST", isLast: false))])
            #expect(try await connection.response(on: 1).statuses == [413])
        }
    }

    @Test("A stream that is reset cancels its task and the reader of its body")
    func resets() async throws {
        let events = Mutex<[String]>([])
        let begun = ManualLatch()
        let respond: Connection.Respond = { request in
            begun.open()
            do {
                _ = try await request.body.collect(upTo: 1 << 20)
            } catch {
                events.withLock { $0.append(Task.isCancelled ? "cancelled" : "failed") }
            }
            return Response(status: .ok)
        }
        try await Connection.run(respond) { connection in
            try await connection.send([
                (1, Connection.head("/a", [("content-length", "9")], method: "POST", isLast: false))
            ])
            await begun.pass()
            try await connection.send([(1, .rstStream(.cancel)), (3, Connection.head("/b", isLast: true))])
            #expect(try await connection.response(on: 3).statuses == [200])
            await until { events.withLock { $0 } == ["cancelled"] }
            #expect(connection.responses[1] == nil)
        }
    }

    @Test("A request that is reset in the read in which it arrived does not begin")
    func immediateReset() async throws {
        let paths = Mutex<[String]>([])
        let respond: Connection.Respond = { request in
            paths.withLock { $0.append(request.uri.path) }
            return Response(status: .ok)
        }
        try await Connection.run(respond) { connection in
            try await connection.send([
                (1, Connection.head("/a", isLast: true)), (1, .rstStream(.cancel)),
                (3, Connection.head("/b", isLast: true)),
            ])
            #expect(try await connection.response(on: 3).statuses == [200])
            #expect(paths.withLock { $0 } == ["/b"])
        }
    }

    @Test("A body is received only as fast as it is consumed")
    func pressure() async throws {
        let latch = ManualLatch()
        let respond: Connection.Respond = { request in
            await latch.pass()
            return try await Self.echo(request)
        }
        try await Connection.run(window: 1 << 20, respond) { connection in
            let body = ByteBuffer(repeating: 7, count: 400_000)
            try await connection.send([
                (.rootStream, .windowUpdate(windowSizeIncrement: 1 << 20)),
                (1, Connection.head("/a", [("content-length", "400000")], method: "POST", isLast: false)),
                (1, Connection.data(body, isLast: true)),
            ])
            await until { latch.waiting == 1 }
            // The window of the connection opens nevertheless, so that other streams continue.
            while connection.windowUpdates[.rootStream, default: 0] == 0 { try await connection.next() }
            #expect(connection.windowUpdates[1] == nil)
            latch.open()
            #expect(try await connection.response(on: 1).body == body)
        }
    }

    @Test("A response is produced only as fast as the client receives it")
    func slowClient() async throws {
        let written = Atomic(0)
        let count = 40
        let respond: Connection.Respond = { _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for number in 0..<count {
                        try await writer.write(ByteBuffer(repeating: UInt8(number), count: 32_000))
                        written.add(1, ordering: .relaxed)
                    }
                    try await writer.finish(nil)
                })
        }
        try await Connection.run(respond) { connection in
            try await connection.send([(1, Connection.head("/a", isLast: true))])
            while connection.responses[1]?.body.readableBytes != 65_535 { try await connection.next() }
            let early = written.load(ordering: .relaxed)
            #expect(early < 10)
            while connection.responses[1]?.isComplete != true {
                try await connection.send([
                    (1, .windowUpdate(windowSizeIncrement: 16_000)),
                    (.rootStream, .windowUpdate(windowSizeIncrement: 16_000)),
                ])
                try await connection.next()
            }
            let body = try #require(connection.responses[1]?.body)
            let expected = (0..<count).flatMap { [UInt8](repeating: UInt8($0), count: 32_000) }
            #expect(Array(buffer: body) == expected)
        }
    }

    @Test("A response that cannot be completed resets its stream only")
    func broken() async throws {
        struct Broken: Error {}
        let respond: Connection.Respond = { request in
            switch request.uri.path {
            case "/broken": Response(status: .ok, body: ResponseBody { _ in throw Broken() })
            case "/unfinished":
                Response(status: .ok, body: ResponseBody { try await $0.write(ByteBuffer(string: "a")) })
            default: Response(status: .ok)
            }
        }
        try await Connection.run(respond) { connection in
            try await connection.send([
                (1, Connection.head("/broken", isLast: true)), (3, Connection.head("/unfinished", isLast: true)),
                (5, Connection.head("/other", isLast: true)),
            ])
            for id in [1, 3] as [HTTP2StreamID] {
                #expect(
                    try await connection.response(on: id).reset == NIOHTTP2.HTTP2ErrorCode.internalError.networkCode)
            }
            #expect(try await connection.response(on: 5).statuses == [200])
        }
    }

    @Test("A stopping server names its last stream and closes after the open streams")
    func stopping() async throws {
        let latch = ManualLatch()
        let respond: Connection.Respond = { _ in
            await latch.pass()
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "the end")))
        }
        try await Connection.run(respond) { connection in
            try await connection.send([(1, Connection.head("/a", isLast: true))])
            await until { latch.waiting == 1 }
            connection.server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            while connection.goAway != 1 { try await connection.next() }
            latch.open()
            let response = try await connection.response(on: 1)
            #expect(response.isComplete && String(buffer: response.body) == "the end")
            // The test itself would close the connection after a minute.
            let waiting = ContinuousClock.now
            while try await connection.receive() {}
            #expect(ContinuousClock.now - waiting < .seconds(30))
        }
    }

    @Test("A closed connection cancels the tasks of its streams and ends when they have ended")
    func closing() async throws {
        let latch = ManualLatch()
        let respond: Connection.Respond = { _ in
            await latch.pass()
            return Response(status: Task.isCancelled ? .ok : .conflict)
        }
        try await Connection.run(respond) { connection in
            try await connection.send([(1, Connection.head("/a", isLast: true))])
            await until { latch.waiting == 1 }
            let (server, handler) = (connection.server, connection.handler)
            let ended = Atomic(false)
            try await server.close()
            let loop = server.eventLoop
            let end = loop.flatSubmit { handler.value.whenAllEnded(on: loop) }
            end.whenComplete { _ in ended.store(true, ordering: .relaxed) }
            try await loop.submit {}.get()
            let hasEnded = ended.load(ordering: .relaxed)
            #expect(!hasEnded)
            latch.open()
            try await end.get()
            while try await connection.receive() {}
        }
    }

    @Test("Random interleavings of many streams echo every body", arguments: 0..<8 as Range<UInt64>)
    func torture(seed: UInt64) async throws {
        let respond: Connection.Respond = { request in
            var body = ByteBuffer()
            for try await part in request.body {
                body.writeImmutableBuffer(part)
                // Some consumers are slower than their client.
                if body.readableBytes % 3 == 0 { await Task.yield() }
            }
            let parts = stride(from: 0, to: body.readableBytes, by: 7_000).map {
                body.getSlice(at: $0, length: min(7_000, body.readableBytes - $0)) ?? ByteBuffer()
            }
            if body.readableBytes.isMultiple(of: 2) {
                return Response(status: .ok, body: ResponseBody(contentsOf: parts))
            }
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in parts {
                        try await writer.write(part)
                        await Task.yield()
                    }
                    try await writer.finish(nil)
                })
        }
        try await Connection.run(window: 1 << 22, respond) { connection in
            var random = SeededRandom(seed: seed)
            var open: [(id: HTTP2StreamID, rest: ByteBuffer)] = []
            var expected: [HTTP2StreamID: ByteBuffer] = [:]
            try await connection.send([(.rootStream, .windowUpdate(windowSizeIncrement: 1 << 28))])
            for number in 0..<60 {
                let id = HTTP2StreamID(2 * number + 1)
                let about = [0, 1, 100, 5_000, 70_000, 150_000].randomElement(using: &random) ?? 0
                let body = ByteBuffer(repeating: UInt8(number), count: about + Int.random(in: 0...3, using: &random))
                let length = body.readableBytes
                let fields = Bool.random(using: &random) ? [("content-length", "\(length)")] : []
                expected[id] = body
                open.append((id, body))
                var frames = [(id, Connection.head("/\(number)", fields, method: "POST", isLast: false))]
                for _ in 0..<Int.random(in: 0...8, using: &random) where !open.isEmpty {
                    let index = Int.random(in: 0..<open.count, using: &random)
                    let size = Int.random(in: 1...40_000, using: &random)
                    let part = open[index].rest.readSlice(length: min(size, open[index].rest.readableBytes))
                    let isLast = open[index].rest.readableBytes == 0
                    frames.append((open[index].id, Connection.data(part ?? ByteBuffer(), isLast: isLast)))
                    if isLast { open.remove(at: index) }
                }
                try await connection.send(frames)
            }
            try await connection.send(open.map { ($0.id, Connection.data($0.rest, isLast: true)) })
            for (id, body) in expected {
                let response = try await connection.response(on: id)
                #expect(response.statuses == [200] && response.isComplete && response.body == body, "\(id)")
            }
        }
    }
}
