package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// What a server's TLS is like.
package struct TLSFacts: Sendable {
    /// The version that was agreed on, such as `TLSv1.3`; nil where no connection came about.
    package var version: String?
    /// Until when the certificate is good.
    package var expiry: Date?
    /// Whether its certificate is signed by an authority that is trusted, and for this name.
    package var isTrusted: Bool
    /// Whether the server also agrees on TLS 1.0 or 1.1, which RFC 8996 forbids.
    package var takesOldVersions: Bool
    /// Whether the server prefers HTTP/2 to HTTP/1.1 (RFC 7301).
    package var speaksHTTP2: Bool

    package init(
        version: String?, expiry: Date?, isTrusted: Bool, takesOldVersions: Bool, speaksHTTP2: Bool = false
    ) {
        self.speaksHTTP2 = speaksHTTP2
        self.version = version
        self.expiry = expiry
        self.isTrusted = isTrusted
        self.takesOldVersions = takesOldVersions
    }
}

/// Shakes hands with a server and says what it agreed on; nothing is asked.
struct TLSProbe {
    let address: Address
    let transport: ProbeTransport

    struct Handshake: Sendable {
        let version: String
        let expiry: Date?
        let speaksHTTP2: Bool
    }

    /// Nil where the two could not agree.
    ///
    /// - Throws: ``ProbeFailure`` where nobody is there, or nothing comes in time: that says nothing of what they would agree on.
    func shake(_ change: (inout TLSConfiguration) -> Void = { _ in }) async throws(ProbeFailure) -> Handshake? {
        var configuration = transport.configuration
        change(&configuration)
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let witness = HandshakeWitness()
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(transport.patience))
                .channelInitializer({ channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: address.serverName)
                        try channel.pipeline.syncOperations.addHandlers([tls, witness.handler()])
                    }
                })
                .connect(host: address.host, port: address.port).get()
        } catch {
            let failure = ProbeTransport.failure(error)
            guard failure.isAbsence else { return nil }
            throw failure
        }
        let patience = Patience()
        let deadline = patience.end(channel, in: transport.patience)
        try? await channel.closeFuture.get()
        deadline.cancel()
        let seen = witness.seen.withLock { $0 }
        if seen == nil, patience.isOver { throw .timedOut }
        return seen
    }
}

/// Sees a handshake end, and hangs up.
private final class HandshakeWitness: Sendable {
    let seen = Mutex<TLSProbe.Handshake?>(nil)

    func handler() -> Handler { Handler(witness: self) }

    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let witness: HandshakeWitness

        init(witness: HandshakeWitness) { self.witness = witness }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let chosen)? = event as? TLSUserEvent {
                let tls = context.pipeline.syncOperations
                let version = (try? tls.nioSSL_tlsVersion()) ?? nil
                let certificate = (try? tls.nioSSL_peerCertificate()) ?? nil
                let seen = TLSProbe.Handshake(
                    version: version.map(TLSProbe.name) ?? "an unknown version",
                    expiry: certificate.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) },
                    speaksHTTP2: chosen == "h2")
                witness.seen.withLock { $0 = seen }
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
