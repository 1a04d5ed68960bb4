import Foundation
import NIOCore
import NIOPosix
package import NIOSSL
import NIOTLS

/// Sends a probe on a connection of its own over HTTP/1.1, follows no redirect, decodes nothing, and reads one answer.
package struct ProbeTransport: Sendable {
    /// Who is believed to be the server.
    package enum Trust: Sendable {
        /// Whose certificate the machine's authorities, or these, vouch for.
        case verified([NIOSSLCertificate]?)
        /// Anybody: so that a server with a bad certificate can be checked all the same.
        case anybody
    }

    package var trust: Trust
    /// For the connection and for the whole answer, in seconds.
    package var patience: Int64 = 20

    package init(trust: Trust = .verified(nil)) {
        self.trust = trust
    }

    package func exchange(_ probe: Probe) async -> Exchange {
        let patience = Patience()
        do {
            let (answer, seconds) = try await send(probe, patience)
            return Exchange(probe, .success(answer), seconds: seconds, isLate: patience.isOver)
        } catch {
            return Exchange(probe, .failure(Self.failure(error)), isLate: patience.isOver)
        }
    }

    /// The answer and the time it took, in seconds.
    private func send(_ probe: Probe, _ patience: Patience) async throws -> (RawAnswer, Double) {
        let (channel, handshake) = try await connect(to: probe.address)
        let deadline = patience.end(channel.channel, in: self.patience)
        defer { deadline.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            do {
                try await handshake?.get()
            } catch {
                throw patience.isOver ? ProbeFailure.timedOut : error
            }
            let start = ContinuousClock.now
            // A server may refuse and hang up before it has read everything: its answer counts.
            try? await outbound.write(ByteBuffer(bytes: probe.bytes))
            let answer = try await read(probe, inbound, of: channel.channel, patience)
            return (answer, (ContinuousClock.now - start) / .seconds(1))
        }
    }

    private func read(
        _ probe: Probe, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, of channel: any Channel,
        _ patience: Patience
    ) async throws -> RawAnswer {
        let isHead = probe.method == "HEAD"
        var parser = AnswerParser(isAnswerToHead: isHead, longestBody: probe.longestBody)
        var isWaitingForMore = false
        do {
            for try await bytes in inbound {
                parser.append(bytes.readableBytesView)
                switch parser.outcome(hasEnded: false) {
                case .needsMore: continue
                case .notHTTP: throw ProbeFailure.notHTTP
                case .complete(let answer):
                    // A body after the answer to HEAD comes late as often as not.
                    guard isHead, answer.strayBytes == 0 else { return answer }
                    guard !isWaitingForMore else { continue }
                    isWaitingForMore = true
                    channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
                }
            }
        } catch let error where !(error is ProbeFailure) {
            // Closed with a reset: what came until then is what there is.
            if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
                guard case .complete = parser.outcome(hasEnded: true) else {
                    // Ours was the first goodbye, and the server's is not waited for.
                    throw patience.isOver && parser.received == 0 ? ProbeFailure.timedOut : error
                }
            }
        }
        switch parser.outcome(hasEnded: true) {
        case .complete(let answer): return answer
        default:
            guard parser.received == 0 else { throw ProbeFailure.notHTTP }
            throw patience.isOver ? ProbeFailure.timedOut : ProbeFailure.noAnswer
        }
    }

    /// A connection, and when its handshake is done; nil where it has none.
    private func connect(
        to address: Address
    ) async throws -> (NIOAsyncChannel<ByteBuffer, ByteBuffer>, handshake: EventLoopFuture<Void>?) {
        let context = address.isSecure ? try NIOSSLContext(configuration: configuration) : nil
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(patience))
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
        // What a server offers is judged by a rule, not refused here.
        configuration.minimumTLSVersion = .tlsv1
        // Everything was answered by then, and some servers never say goodbye.
        configuration.shutdownTimeout = .milliseconds(200)
        switch trust {
        case .verified(nil): break
        case .verified(let roots?): configuration.trustRoots = .certificates(roots)
        case .anybody: configuration.certificateVerification = .none
        }
        return configuration
    }

    static func failure(_ error: any Error) -> ProbeFailure {
        switch error {
        case let failure as ProbeFailure: failure
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .untrusted
        case let error as NIOConnectionError: failure(error)
        case ChannelError.connectTimeout: .unreachable
        default: .noAnswer
        }
    }

    private static func failure(_ error: NIOConnectionError) -> ProbeFailure {
        guard !error.connectionErrors.isEmpty else {
            return error.dnsAError == nil && error.dnsAAAAError == nil ? .unreachable : .unresolved
        }
        let isRefused = error.connectionErrors.allSatisfy { ($0.error as? IOError)?.errnoCode == ECONNREFUSED }
        return isRefused ? .refused : .unreachable
    }
}

/// Says when a TLS handshake is done, or that it will never be.
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
        end(ProbeFailure.noAnswer)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(ProbeFailure.noAnswer) }
}

extension Address {
    /// The name for TLS; nil for an IP address, which has none there (RFC 6066 section 3).
    var serverName: String? {
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}
