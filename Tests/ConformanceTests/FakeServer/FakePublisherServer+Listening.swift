import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

extension FakePublisherServer {
    /// Runs the body while the fake server serves a free port of 127.0.0.1, one request per connection.
    func serve<Result: Sendable>(
        tls: TLS? = nil, _ body: @Sendable @escaping (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let context = try tls?.context
        let taken = OccupiedConnections()
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
                            taken.track(.plain(try .init(wrappingChannelSynchronously: channel))))
                    }
                    let chosen = NIOTypedApplicationProtocolNegotiationHandler<FakeServerConnection> {
                        chosen, channel in
                        channel.eventLoop.makeCompletedFuture {
                            guard case .negotiated("h2") = chosen else {
                                return taken.track(.plain(try .init(wrappingChannelSynchronously: channel)))
                            }
                            try channel.pipeline.syncOperations.addHandler(NIOHTTP2Handler(mode: .server))
                            return taken.track(.streams(try .init(wrappingChannelSynchronously: channel)))
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
                guard let request = FakeServerRequest(bytes) else { continue }
                let response = try await delayedResponse(request)
                guard !response.isSilence else { continue }
                if !response.isNothing { try await outbound.write(ByteBuffer(bytes: response.bytes)) }
                if !response.isKeepAlive { return }
            }
        }
    }
}

private enum FakeServerConnection: Sendable {
    case plain(NIOAsyncChannel<ByteBuffer, ByteBuffer>)
    case streams(NIOAsyncChannel<HTTP2Frame, HTTP2Frame>)

    func end() async throws {
        switch self {
        case .plain(let connection): try await connection.executeThenClose { _, _ in }
        case .streams(let connection): try await connection.executeThenClose { _, _ in }
        }
    }
}

/// Holds connections until the fake server has shut down. A connection accepted during shutdown is never served, and
/// NIO traps if such a channel is released before it is closed.
private final class OccupiedConnections: Sendable {
    private let all = Mutex<[FakeServerConnection]>([])

    func track(_ connection: FakeServerConnection) -> FakeServerConnection {
        all.withLock { $0.append(connection) }
        return connection
    }

    deinit {
        for connection in all.withLock(\.self) { Task { try? await connection.end() } }
    }
}
