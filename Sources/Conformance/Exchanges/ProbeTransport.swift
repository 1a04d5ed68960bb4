import Foundation
import NIOCore
import NIOPosix
package import NIOSSL
import NIOTLS

/// A transport that sends each probe on a new HTTP/1.1 connection and reads one response. It follows no redirect
/// and decodes nothing.
package struct ProbeTransport: Sendable {
    /// The condition under which the transport trusts a server.
    package enum Trust: Sendable {
        /// A certificate signed by one of the system's authorities, or by one of the given authorities.
        case verified([NIOSSLCertificate]?)
        /// Any certificate, so that a server with a bad certificate can still be checked.
        case anyServer
    }

    package var trust: Trust
    /// The time limit for the connection and for the whole response, in seconds. Default: 20 s.
    package var timeout: Int64 = 20

    package init(trust: Trust = .verified(nil)) {
        self.trust = trust
    }

    package func exchange(_ probe: Probe) async -> Exchange {
        let timeout = ChannelTimeout()
        do {
            let (response, seconds) = try await send(probe, timeout)
            return Exchange(probe, .success(response), seconds: seconds, isLate: timeout.hasElapsed)
        } catch {
            return Exchange(probe, .failure(Self.failure(error)), isLate: timeout.hasElapsed)
        }
    }

    /// Returns the response and its duration in seconds.
    private func send(_ probe: Probe, _ timeout: ChannelTimeout) async throws -> (ReceivedResponse, Double) {
        let (channel, handshake) = try await connect(to: probe.address)
        let deadline = timeout.end(channel.channel, in: self.timeout)
        defer { deadline.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            do {
                try await handshake?.get()
            } catch {
                throw timeout.hasElapsed ? ProbeFailure.timedOut : error
            }
            let start = ContinuousClock.now
            // A server may reject a request and close the connection before it has read everything. Its response
            // counts.
            try? await outbound.write(ByteBuffer(bytes: probe.bytes))
            let response = try await read(probe, inbound, of: channel.channel, timeout)
            return (response, (ContinuousClock.now - start) / .seconds(1))
        }
    }

    private func read(
        _ probe: Probe, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, of channel: any Channel,
        _ timeout: ChannelTimeout
    ) async throws -> ReceivedResponse {
        let isHead = probe.method == "HEAD"
        var parser = ResponseParser(isResponseToHead: isHead, maxBodySize: probe.maxBodySize)
        var isWaitingForMore = false
        do {
            for try await bytes in inbound {
                parser.append(bytes.readableBytesView)
                switch parser.outcome(hasEnded: false) {
                case .needsMore: continue
                case .notHTTP: throw ProbeFailure.notHTTP
                case .complete(let response):
                    // A body after the response to HEAD often arrives late.
                    guard isHead, response.strayBytes == 0 else { return response }
                    guard !isWaitingForMore else { continue }
                    isWaitingForMore = true
                    channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
                }
            }
        } catch let error where !(error is ProbeFailure) {
            // The connection ended with a reset. The bytes up to then are the response.
            if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
                guard case .complete = parser.outcome(hasEnded: true) else {
                    // The client closed the connection first and does not wait for the server's closing message.
                    throw timeout.hasElapsed && parser.received == 0 ? ProbeFailure.timedOut : error
                }
            }
        }
        switch parser.outcome(hasEnded: true) {
        case .complete(let response): return response
        default:
            guard parser.received == 0 else { throw ProbeFailure.notHTTP }
            throw timeout.hasElapsed ? ProbeFailure.timedOut : ProbeFailure.noResponse
        }
    }

    /// Returns a connection and the completion of its handshake, which is nil without TLS.
    private func connect(
        to address: Address
    ) async throws -> (NIOAsyncChannel<ByteBuffer, ByteBuffer>, handshake: EventLoopFuture<Void>?) {
        let context = address.isSecure ? try NIOSSLContext(configuration: configuration) : nil
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(timeout))
            .connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    var handshake: EventLoopFuture<Void>?
                    if let context {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: address.serverName)
                        let done = channel.eventLoop.makePromise(of: Void.self)
                        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeAwaiter(done)])
                        handshake = done.futureResult
                    }
                    return (
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel), handshake
                    )
                }
            }
    }

    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // A rule judges the versions that a server offers, so the transport rejects none.
        configuration.minimumTLSVersion = .tlsv1
        // The response is complete by then, and some servers never send a closing message.
        configuration.shutdownTimeout = .milliseconds(200)
        switch trust {
        case .verified(nil): break
        case .verified(let roots?): configuration.trustRoots = .certificates(roots)
        case .anyServer: configuration.certificateVerification = .none
        }
        return configuration
    }

    static func failure(_ error: any Error) -> ProbeFailure {
        switch error {
        case let failure as ProbeFailure: failure
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .untrusted
        case let error as NIOConnectionError: failure(error)
        case ChannelError.connectTimeout: .unreachable
        default: .noResponse
        }
    }

    private static func failure(_ error: NIOConnectionError) -> ProbeFailure {
        guard !error.connectionErrors.isEmpty else {
            return error.dnsAError == nil && error.dnsAAAAError == nil ? .unreachable : .unresolved
        }
        let isRejected = error.connectionErrors.allSatisfy { ($0.error as? IOError)?.errnoCode == ECONNREFUSED }
        return isRejected ? .connectionRefused : .unreachable
    }
}

/// A handler that completes when the TLS handshake is done or has failed.
private final class HandshakeAwaiter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var done: EventLoopPromise<Void>?

    init(_ done: EventLoopPromise<Void>) { self.done = done }

    private func end(_ error: (any Error)?) {
        if let error { done?.fail(error) } else { done?.succeed() }
        done = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { end(nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(ProbeFailure.noResponse)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(ProbeFailure.noResponse) }
}

extension Address {
    /// The server name for TLS; nil for an IP address, which TLS does not allow as a server name (RFC 6066 section
    /// 3).
    var serverName: String? {
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}
