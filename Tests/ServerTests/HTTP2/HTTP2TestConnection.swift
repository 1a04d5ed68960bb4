import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Testing

@testable import Server

/// The client of a server without TLS whose connections speak HTTP/2.
struct HTTP2TestConnection {
    typealias Payload = HTTP2Frame.FramePayload
    typealias Respond = @Sendable (Request) async throws -> Response

    /// A response, or what there is of it.
    struct Received {
        var statuses: [Int] = []
        var body = ByteBuffer()
        var isComplete = false
        var reset: Int?
    }

    private var inbound: NIOAsyncChannelInboundStream<HTTP2Frame>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame>
    let channel: any Channel
    /// The server's side.
    let server: any Channel
    let handler: NIOLoopBound<HTTP2ConnectionHandler>
    private(set) var responses: [HTTP2StreamID: Received] = [:]
    private(set) var windowUpdates: [HTTP2StreamID: Int] = [:]
    private(set) var goAway: HTTP2StreamID?

    /// Connects to a new server and runs the body, which must not take more than a minute.
    ///
    /// - Parameter window: The size of the client's window for each stream, in bytes.
    static func run(
        window: Int = 65_535, _ respond: @escaping Respond,
        _ body: (inout HTTP2TestConnection) async throws -> Void
    ) async throws {
        let responder = RequestResponder(
            CallbackResponder { request, _ in try await respond(request) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let group = MultiThreadedEventLoopGroup.singleton
        let served = group.any().makePromise(of: ((any Channel), NIOLoopBound<HTTP2ConnectionHandler>).self)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = HTTP2ConnectionHandler(
                        responder, idleTimeout: .seconds(60), stallTimeout: .seconds(90))
                    try handler.add(to: channel)
                    served.succeed((channel, NIOLoopBound(handler, eventLoop: channel.eventLoop)))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // The client sends what it is told to, right or wrong.
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [HTTP2Setting(parameter: .initialWindowSize, value: window)]
        configuration.headerBlockValidation = .disabled
        configuration.contentLengthValidation = .disabled
        let clientConfiguration = configuration
        let client = try await ClientBootstrap(group: group)
            .connect(to: #require(listener.localAddress)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOHTTP2Handler(
                            mode: .client, connectionConfiguration: clientConfiguration, streamConfiguration: .init()))
                    return try NIOAsyncChannel<HTTP2Frame, HTTP2Frame>(wrappingChannelSynchronously: channel)
                }
            }
        let deadline = client.channel.eventLoop.scheduleTask(in: .seconds(60)) { client.channel.close(promise: nil) }
        defer { deadline.cancel() }
        try await client.executeThenClose { inbound, outbound in
            let (server, handler) = try await served.futureResult.get()
            var connection = HTTP2TestConnection(
                inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: client.channel, server: server,
                handler: handler)
            try await body(&connection)
        }
        try await listener.close()
    }

    /// Sends frames in one write.
    func send(_ frames: [(HTTP2StreamID, Payload)]) async throws {
        try await outbound.write(contentsOf: frames.map { HTTP2Frame(streamID: $0.0, payload: $0.1) })
    }

    static func head(_ path: String, _ more: [(String, String)] = [], method: String = "GET", isLast: Bool) -> Payload {
        .headers(
            .init(
                headers: HPACKHeaders(
                    [(":method", method), (":path", path), (":scheme", "https"), (":authority", "a")] + more),
                endStream: isLast))
    }

    static func data(_ bytes: ByteBuffer, isLast: Bool) -> Payload {
        .data(.init(data: .byteBuffer(bytes), endStream: isLast))
    }

    /// Receives one frame. Returns false if the connection is closed.
    mutating func receive() async throws -> Bool {
        guard let frame = try await inbound.next(isolation: #isolation) else { return false }
        let id = frame.streamID
        switch frame.payload {
        case .headers(let headers):
            if let status = headers.headers.first(name: ":status").flatMap({ Int($0) }) {
                responses[id, default: Received()].statuses.append(status)
            }
            if headers.endStream { responses[id]?.isComplete = true }
        case .data(let data):
            if case .byteBuffer(let bytes) = data.data { responses[id]?.body.writeImmutableBuffer(bytes) }
            if data.endStream { responses[id]?.isComplete = true }
        case .rstStream(let code): responses[id, default: Received()].reset = code.networkCode
        case .windowUpdate(let size): windowUpdates[id, default: 0] += size
        case .goAway(let last, _, _): goAway = last
        default: break
        }
        return true
    }

    /// Receives one frame.
    ///
    /// - Throws: `ChannelError.eof` if the connection is closed.
    mutating func next() async throws {
        if try await !receive() { throw ChannelError.eof }
    }

    /// Receives until the stream is complete or reset, or the connection is closed.
    @discardableResult
    mutating func response(on id: HTTP2StreamID) async throws -> Received {
        while responses[id]?.isComplete != true, responses[id]?.reset == nil, try await receive() {}
        return responses[id] ?? Received()
    }
}
