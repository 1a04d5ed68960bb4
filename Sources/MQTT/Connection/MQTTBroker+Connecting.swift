import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

extension MQTTBroker {
    typealias Packets = NIOAsyncChannel<MQTTPacket, MQTTPacket>

    /// Connects within ten seconds, and upgrades to WebSocket if the broker has a WebSocket target.
    func connect() async throws -> Packets {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(10))
        guard let webSocketTarget else {
            return try await bootstrap.connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try secure(channel, context)
                    return try Self.packets(channel)
                }
            }
        }
        let upgrade = try await bootstrap.connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try secure(channel, context)
                return try self.upgrade(channel, to: webSocketTarget)
            }
        }
        guard let packets = try await upgrade.get() else { throw MQTTFailure.notUpgraded }
        return packets
    }

    private func secure(_ channel: any Channel, _ context: NIOSSLContext?) throws {
        guard let context else { return }
        // TLS cannot send an IP address as the server name.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
    }

    private static func packets(_ channel: any Channel) throws -> Packets {
        try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(MQTTPacketDecoder(), maximumBufferSize: MQTTPacket.maxSize + 5),
            MessageToByteHandler(MQTTPacketEncoder()))
        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
    }

    /// Starts the upgrade to WebSocket.
    ///
    /// - Returns: A future of the packet channel, or of nil if the server did not upgrade.
    private func upgrade(_ channel: any Channel, to target: String) throws -> EventLoopFuture<Packets?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Packets?>(maxFrameSize: MQTTPacket.maxSize) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(WebSocketBytes())
                return try Self.packets(channel)
            }
        }
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: port == (tls == nil ? 80 : 443) ? host : "\(host):\(port)")
        headers.add(name: "Sec-WebSocket-Protocol", value: "mqtt")
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Packets?>(
            upgradeRequestHead: request, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.close(promise: nil)
                return channel.eventLoop.makeSucceededFuture(nil)
            })
        let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
        let timer = channel.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
        upgrade.whenComplete { _ in timer.cancel() }
        return upgrade
    }
}
