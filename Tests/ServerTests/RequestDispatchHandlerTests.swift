import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@testable import Server

@Suite("Request dispatch of one connection")
struct RequestDispatchHandlerTests {
    @Test("Stops reading while eight requests wait, and continues afterwards")
    func backPressure() async throws {
        try await withConnection { connection in
            for number in 0..<9 { try await connection.receive("/\(number)") }
            await connection.hasBegun("/0")
            // The first one is being handled.
            try await connection.requestMore()
            #expect(connection.accepts.count == 0)
            connection.gate.finish()
            await connection.hasBegun("/8")
            #expect(connection.begun.all == (0..<9).map { "/\($0)" })
            #expect(connection.accepts.count == 1)
            try await connection.requestMore()
            #expect(connection.accepts.count == 2)
        }
    }

    @Test("Waiting requests are dropped when the server stops by force")
    func cancelled() async throws {
        try await withConnection { connection in
            for number in 0..<3 { try await connection.receive("/\(number)") }
            await connection.hasBegun("/0")
            try await connection.onLoop { $0.cancel() }
            #expect(try await connection.end.get() == .silence)
            #expect(connection.begun.all == ["/0"])
        }
    }

    @Test("Waiting requests are dropped when the client disconnects")
    func gone() async throws {
        try await withConnection { connection in
            for number in 0..<3 { try await connection.receive("/\(number)") }
            await connection.hasBegun("/0")
            try await connection.channel.close().get()
            connection.gate.finish()
            #expect(try await connection.end.get() == .silence)
            #expect(connection.begun.all == ["/0"])
        }
    }

    @Test("Dispatch ends if the handlers were removed before the connection became active")
    func neverActive() async throws {
        try await withConnection(isActive: false) { connection in
            let end = try await connection.end.get()
            #expect(end == .silence)
        }
    }

    @Test("Dispatch ends with the request whose response failed")
    func failed() async throws {
        try await withConnection { connection in
            for target in ["/broken", "/1"] { try await connection.receive(target) }
            connection.gate.finish()
            await #expect(throws: SimulatedError.self) { try await connection.end.get() }
            #expect(connection.begun.all == ["/broken"])
        }
    }
}

private struct SimulatedError: Error {}

/// Events recorded from any thread.
private final class RecordedEvents: Sendable {
    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock { $0 } }
    var count: Int { all.count }
    func append(_ record: String) { noted.withLock { $0.append(record) } }
}

private final class ReadCounter: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    private let accepts: RecordedEvents

    init(_ accepts: RecordedEvents) { self.accepts = accepts }

    func read(context: ChannelHandlerContext) { accepts.append("read") }
}

/// A connection whose requests complete once its gate is finished.
private struct Connection {
    let channel: NIOAsyncTestingChannel
    let handler: NIOLoopBound<RequestDispatchHandler>
    let gate: AsyncStream<Void>.Continuation
    let begun: RecordedEvents
    let accepts: RecordedEvents
    let end: EventLoopFuture<RequestDispatchHandler.End>

    func receive(_ target: String) async throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: target)
        let request = IncomingRequest(head, RequestBody(buffer: ByteBuffer()))
        try await channel.testingEventLoop.executeInContext { [channel] in
            channel.pipeline.fireChannelRead(request)
        }
    }

    func requestMore() async throws {
        try await channel.testingEventLoop.executeInContext { [channel] in channel.pipeline.read() }
    }

    func onLoop(_ body: @escaping @Sendable (RequestDispatchHandler) -> Void) async throws {
        try await channel.testingEventLoop.executeInContext { [handler] in body(handler.value) }
    }

    func hasBegun(_ target: String) async {
        while begun.all.last != target { try? await Task.sleep(for: .milliseconds(2)) }
    }
}

private func withConnection(
    isActive: Bool = true, _ body: (Connection) async throws -> Void
) async throws {
    let (begun, accepts) = (RecordedEvents(), RecordedEvents())
    let (stream, gate) = AsyncStream<Void>.makeStream()
    let channel = NIOAsyncTestingChannel()
    let (outbound, sink) = NIOAsyncChannelOutboundWriter<HTTPResponsePart>.makeTestingWriter()
    let handler = try await channel.testingEventLoop.executeInContext {
        let handler = RequestDispatchHandler(
            RequestResponder(
                CallbackResponder { request, _ in
                    begun.append(request.head.path ?? "")
                    for await _ in stream {}
                    guard request.head.path == "/broken" else { return Response(status: .ok) }
                    return Response(status: .ok, body: ResponseBody { _ in throw SimulatedError() })
                }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try channel.pipeline.syncOperations.addHandlers(ReadCounter(accepts), handler)
        return NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }
    if isActive {
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    } else {
        try await channel.eventLoop.flatSubmit { channel.pipeline.syncOperations.removeHandler(handler.value) }.get()
    }
    let end = channel.eventLoop.flatSubmit { handler.value.dispatchAll(outbound, on: channel.eventLoop) }
    try await body(
        Connection(channel: channel, handler: handler, gate: gate, begun: begun, accepts: accepts, end: end))
    gate.finish()
    outbound.finish()
    withExtendedLifetime(sink) {}
    if channel.isActive { try await channel.close().get() }
}
