import NIOCore
import NIOPosix
import NIOSSL

extension StandIn {
    /// Runs the body while the stand-in answers on a free port of 127.0.0.1, one request a connection.
    func serve<Result: Sendable>(
        tls: TLS? = nil, _ body: @Sendable @escaping (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let context = try tls?.context
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let port = server.channel.localAddress?.port ?? 0
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { readers in
                        for try await connection in connections {
                            readers.addTask { try? await serve(connection) }
                        }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(port)
        }
    }

    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            for try await more in inbound {
                bytes.append(contentsOf: more.readableBytesView)
                guard let request = StandInRequest(bytes) else { continue }
                let answer = answer(request)
                if !answer.isNothing { try await outbound.write(ByteBuffer(bytes: answer.bytes)) }
                return
            }
        }
    }
}
