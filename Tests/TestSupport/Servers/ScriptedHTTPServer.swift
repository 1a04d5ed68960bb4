import NIOCore
import NIOPosix

/// Runs the body with a server on a free port of 127.0.0.1 that reads the head of a request, sends what the closure
/// returns, and hangs up.
public func withScriptedHTTPServer<Result: Sendable>(
    answering answer: @escaping @Sendable () -> String,
    _ body: @Sendable @escaping (_ port: Int) async throws -> Result
) async throws -> Result {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    let port = server.channel.localAddress?.port ?? 0
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try await server.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { readers in
                    for try await connection in connections {
                        readers.addTask { try? await send(answer(), to: connection) }
                    }
                }
            }
        }
        defer { group.cancelAll() }
        return try await body(port)
    }
}

private func send(_ answer: String, to connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
    try await connection.executeThenClose { inbound, outbound in
        var head: [UInt8] = []
        for try await bytes in inbound {
            head.append(contentsOf: bytes.readableBytesView)
            guard head.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { continue }
            try await outbound.write(ByteBuffer(string: answer))
            return
        }
    }
}
