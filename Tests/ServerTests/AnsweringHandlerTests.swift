import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@testable import Server

@Suite("The requests of one connection")
struct AnsweringHandlerTests {
    @Test("are read no further while eight wait for their turn, and further once they have had it")
    func backPressure() async throws {
        try await withConnection { connection in
            for number in 0..<9 { try await connection.receive("/\(number)") }
            await connection.isBegun("/0")
            // The first is being answered.
            try await connection.wantMore()
            #expect(connection.reads.count == 0)
            connection.gate.finish()
            await connection.isBegun("/8")
            #expect(connection.begun.all == (0..<9).map { "/\($0)" })
            #expect(connection.reads.count == 1)
            try await connection.wantMore()
            #expect(connection.reads.count == 2)
        }
    }

    @Test("that wait are not answered any more when the server stops in haste")
    func cancelled() async throws {
        try await withConnection { connection in
            for number in 0..<3 { try await connection.receive("/\(number)") }
            await connection.isBegun("/0")
            try await connection.onLoop { $0.cancel() }
            #expect(try await connection.end.get() == .silence)
            #expect(connection.begun.all == ["/0"])
        }
    }

    @Test("that wait are not answered any more when their client is gone")
    func gone() async throws {
        try await withConnection { connection in
            for number in 0..<3 { try await connection.receive("/\(number)") }
            await connection.isBegun("/0")
            try await connection.channel.close().get()
            connection.gate.finish()
            #expect(try await connection.end.get() == .silence)
            #expect(connection.begun.all == ["/0"])
        }
    }

    @Test("are over when the handlers were removed before they began: the connection never became active")
    func neverActive() async throws {
        try await withConnection(isActive: false) { connection in
            let end = try await connection.end.get()
            #expect(end == .silence)
        }
    }

    @Test("end with the one whose answer failed")
    func failed() async throws {
        try await withConnection { connection in
            for target in ["/broken", "/1"] { try await connection.receive(target) }
            connection.gate.finish()
            await #expect(throws: Broken.self) { try await connection.end.get() }
            #expect(connection.begun.all == ["/broken"])
        }
    }
}

private struct Broken: Error {}

/// What was noted on any thread.
private final class Notes: Sendable {
    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock { $0 } }
    var count: Int { all.count }
    func append(_ note: String) { noted.withLock { $0.append(note) } }
}

private final class ReadCounter: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    private let reads: Notes

    init(_ reads: Notes) { self.reads = reads }

    func read(context: ChannelHandlerContext) { reads.append("read") }
}

/// A connection whose requests are answered once its gate is finished.
private struct Connection {
    let channel: NIOAsyncTestingChannel
    let handler: NIOLoopBound<AnsweringHandler>
    let gate: AsyncStream<Void>.Continuation
    let begun: Notes
    let reads: Notes
    let end: EventLoopFuture<AnsweringHandler.End>

    func receive(_ target: String) async throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: target)
        let request = ArrivedRequest(head, RequestBody(buffer: ByteBuffer()))
        try await channel.testingEventLoop.executeInContext { [channel] in
            channel.pipeline.fireChannelRead(request)
        }
    }

    func wantMore() async throws {
        try await channel.testingEventLoop.executeInContext { [channel] in channel.pipeline.read() }
    }

    func onLoop(_ body: @escaping @Sendable (AnsweringHandler) -> Void) async throws {
        try await channel.testingEventLoop.executeInContext { [handler] in body(handler.value) }
    }

    func isBegun(_ target: String) async {
        while begun.all.last != target { try? await Task.sleep(for: .milliseconds(2)) }
    }
}

private func withConnection(
    isActive: Bool = true, _ body: (Connection) async throws -> Void
) async throws {
    let (begun, reads) = (Notes(), Notes())
    let (stream, gate) = AsyncStream<Void>.makeStream()
    let channel = NIOAsyncTestingChannel()
    let (outbound, sink) = NIOAsyncChannelOutboundWriter<HTTPResponsePart>.makeTestingWriter()
    let handler = try await channel.testingEventLoop.executeInContext {
        let handler = AnsweringHandler(
            { request, _, _ in
                begun.append(request.head.path ?? "")
                for await _ in stream {}
                if request.head.path == "/broken" { throw Broken() }
            }, isLight: { _ in false })
        try channel.pipeline.syncOperations.addHandlers(ReadCounter(reads), handler)
        return NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }
    if isActive {
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    } else {
        try await channel.eventLoop.flatSubmit { channel.pipeline.syncOperations.removeHandler(handler.value) }.get()
    }
    let end = channel.eventLoop.flatSubmit { handler.value.answerAll(outbound, on: channel.eventLoop) }
    try await body(
        Connection(channel: channel, handler: handler, gate: gate, begun: begun, reads: reads, end: end))
    gate.finish()
    outbound.finish()
    withExtendedLifetime(sink) {}
    if channel.isActive { try await channel.close().get() }
}
