import NIOCore
import NIOPosix
import Synchronization

/// Runs the body with a server on a free port of 127.0.0.1 that reads the head of a request, sends the closure's text,
/// and closes the connection.
public func withScriptedHTTPServer<Result: Sendable>(
    responding response: @escaping @Sendable () -> String,
    _ body: @Sendable @escaping (_ port: Int) async throws -> Result
) async throws -> Result {
    let connections = Mutex<[any Channel]>([])
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            connections.withLock { $0.append(channel) }
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Script(response))
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    let result = await Task { try await body(server.localAddress?.port ?? 0) }.result
    try? await server.close()
    for connection in connections.withLock(\.self) { connection.close(promise: nil) }
    return try result.get()
}

private final class Script: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let response: @Sendable () -> String
    private var head: [UInt8] = []
    private var hasResponse = false

    init(_ response: @escaping @Sendable () -> String) {
        self.response = response
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard !hasResponse, head.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { return }
        hasResponse = true
        let loopBound = context.loopBound
        // A long response is not written in one piece.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response()))).whenComplete { _ in
            loopBound.value.close(promise: nil)
        }
    }
}
