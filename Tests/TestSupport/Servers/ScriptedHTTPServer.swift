import NIOCore
import NIOPosix
import Synchronization

/// Runs the body with a server on a free port of 127.0.0.1 that reads the head of a request, sends what the closure
/// returns, and hangs up.
public func withScriptedHTTPServer<Result: Sendable>(
    answering answer: @escaping @Sendable () -> String,
    _ body: @Sendable @escaping (_ port: Int) async throws -> Result
) async throws -> Result {
    let connections = Mutex<[any Channel]>([])
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            connections.withLock { $0.append(channel) }
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Script(answer))
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

    private let answer: @Sendable () -> String
    private var head: [UInt8] = []
    private var isAnswered = false

    init(_ answer: @escaping @Sendable () -> String) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard !isAnswered, head.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { return }
        isAnswered = true
        let loopBound = context.loopBound
        // A long answer is not taken all at once.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer()))).whenComplete { _ in
            loopBound.value.close(promise: nil)
        }
    }
}
