package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// The observed TLS properties of a server.
package struct TLSInfo: Sendable {
    /// The negotiated version, such as `TLS 1.3`; nil if no connection was established.
    package var version: String?
    /// The expiry of the certificate.
    package var expiry: Date?
    /// A Boolean value that indicates whether a trusted authority signed the certificate for this name.
    package var isTrusted: Bool
    /// A Boolean value that indicates whether the server also agrees on TLS 1.0 or 1.1, which RFC 8996 forbids.
    package var acceptsOldVersions: Bool
    /// A Boolean value that indicates whether the server prefers HTTP/2 to HTTP/1.1 (RFC 7301).
    package var speaksHTTP2: Bool

    package init(
        version: String?, expiry: Date?, isTrusted: Bool, acceptsOldVersions: Bool, speaksHTTP2: Bool = false
    ) {
        self.speaksHTTP2 = speaksHTTP2
        self.version = version
        self.expiry = expiry
        self.isTrusted = isTrusted
        self.acceptsOldVersions = acceptsOldVersions
    }
}

/// A probe that performs a TLS handshake and reports the negotiated values. It sends no request.
struct TLSProbe {
    let address: Address
    let transport: ProbeTransport

    struct Handshake: Sendable {
        let version: String
        let expiry: Date?
        let speaksHTTP2: Bool
    }

    /// Performs a handshake. Returns nil if client and server cannot agree.
    ///
    /// - Throws: ``ProbeFailure`` if no server is reachable or the time limit expires, because neither shows
    ///   whether they could agree.
    func performHandshake(_ change: (inout TLSConfiguration) -> Void = { _ in }) async throws(ProbeFailure)
        -> Handshake?
    {
        var configuration = transport.configuration
        change(&configuration)
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let observer = HandshakeObserver()
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(transport.timeout))
                .channelInitializer({ channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: address.serverName)
                        try channel.pipeline.syncOperations.addHandlers([tls, observer.handler()])
                    }
                })
                .connect(host: address.host, port: address.port).get()
        } catch {
            let failure = ProbeTransport.failure(error)
            guard failure.isUnreachable else { return nil }
            throw failure
        }
        let timeout = ChannelTimeout()
        let deadline = timeout.end(channel, in: transport.timeout)
        try? await channel.closeFuture.get()
        deadline.cancel()
        let seen = observer.seen.withLock { $0 }
        if seen == nil, timeout.hasElapsed { throw .timedOut }
        return seen
    }
}

/// An observer that records the end of a handshake and closes the connection.
private final class HandshakeObserver: Sendable {
    let seen = Mutex<TLSProbe.Handshake?>(nil)

    func handler() -> Handler { Handler(observer: self) }

    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let observer: HandshakeObserver

        init(observer: HandshakeObserver) { self.observer = observer }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let chosen)? = event as? TLSUserEvent {
                let tls = context.pipeline.syncOperations
                let version = (try? tls.nioSSL_tlsVersion()) ?? nil
                let certificate = (try? tls.nioSSL_peerCertificate()) ?? nil
                let seen = TLSProbe.Handshake(
                    version: version.map(TLSProbe.name) ?? "an unknown version",
                    expiry: certificate.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) },
                    speaksHTTP2: chosen == "h2")
                observer.seen.withLock { $0 = seen }
                context.close(promise: nil)
            }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension TLSProbe {
    static func name(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLS 1.0"
        case .tlsv11: "TLS 1.1"
        case .tlsv12: "TLS 1.2"
        case .tlsv13: "TLS 1.3"
        }
    }
}
