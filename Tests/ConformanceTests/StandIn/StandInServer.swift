import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

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
                channel.eventLoop.scheduleTask(in: tls?.delay ?? .zero) {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    guard tls?.hasHTTP2 == true else {
                        return channel.eventLoop.makeSucceededFuture(
                            Connection.plain(try .init(wrappingChannelSynchronously: channel)))
                    }
                    let chosen = NIOTypedApplicationProtocolNegotiationHandler<Connection> { chosen, channel in
                        channel.eventLoop.makeCompletedFuture {
                            guard case .negotiated("h2") = chosen else {
                                return .plain(try .init(wrappingChannelSynchronously: channel))
                            }
                            try channel.pipeline.syncOperations.addHandler(NIOHTTP2Handler(mode: .server))
                            return .streams(try .init(wrappingChannelSynchronously: channel))
                        }
                    }
                    try channel.pipeline.syncOperations.addHandler(chosen)
                    return chosen.protocolNegotiationResult
                }.futureResult
            }
        let port = server.channel.localAddress?.port ?? 0
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { readers in
                        for try await connection in connections {
                            readers.addTask {
                                switch try? await connection.get() {
                                case .plain(let connection)?: try? await serve(connection)
                                case .streams(let connection)?: try? await serve(connection)
                                case nil: break
                                }
                            }
                        }
                        readers.cancelAll()
                    }
                }
            }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(port)) } catch { result = .failure(error) }
            // Connections that came until now are taken over first: one that nobody takes over ends the program.
            try? await server.channel.close()
            try? await group.waitForAll()
            return try result.get()
        }
    }

    private enum Connection: Sendable {
        case plain(NIOAsyncChannel<ByteBuffer, ByteBuffer>)
        case streams(NIOAsyncChannel<HTTP2Frame, HTTP2Frame>)
    }

    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            for try await more in inbound {
                bytes.append(contentsOf: more.readableBytesView)
                guard let request = StandInRequest(bytes) else { continue }
                let answer = answer(request)
                guard !answer.isSilence else { continue }
                if !answer.isNothing { try await outbound.write(ByteBuffer(bytes: answer.bytes)) }
                if !answer.isKeptOpen { return }
            }
        }
    }
}
