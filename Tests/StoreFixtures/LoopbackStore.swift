package import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import TestSupport

/// A store's service as a real HTTPS server on the loopback interface with a test's own authority.
package struct LoopbackStore: Sendable {
    package struct ReceivedRequest: Sendable {
        package let method: String
        /// The path with the query, unchanged.
        package let target: String
        package let authorization: String?
        package let body: String
    }

    package struct Reply: Sendable {
        package let status: Int
        package let body: String

        package init(_ status: Int, _ body: String = "{}") {
            self.status = status
            self.body = body
        }
    }

    package let url: String
    /// The file with the authority's certificate.
    package let root: String
    private let recorded: Locked<[ReceivedRequest]>

    /// Returns the same server for a client that trusts another authority.
    package func trusting(_ root: String) -> LoopbackStore { LoopbackStore(url: url, root: root, recorded: recorded) }

    /// Returns a server that does not run.
    package static func nowhere(port: Int, root: String) -> LoopbackStore {
        LoopbackStore(url: "https://localhost:\(port)", root: root, recorded: Locked([]))
    }

    /// The received requests.
    package var requests: [ReceivedRequest] { recorded.withLock { $0 } }

    /// Runs the body with a running server.
    package static func serving(
        in folder: URL, _ response: @escaping @Sendable (ReceivedRequest) async throws -> Reply,
        _ body: (LoopbackStore) async throws -> Void
    ) async throws {
        let authority = try await TestAuthority("store-authority", in: folder)
        let issued = try await authority.issue("store", names: "DNS:localhost")
        let chain = try NIOSSLCertificate.fromPEMFile(issued.certificate).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: issued.key, format: .pem)
        let tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        let recorded = Locked<[ReceivedRequest]>([])
        let ports = AsyncStream<Int>.makeStream()
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let storeRequest = ReceivedRequest(
                method: request.method.rawValue, target: request.head.path ?? "",
                authorization: request.headers[.authorization], body: String(buffer: body))
            recorded.withLock { $0.append(storeRequest) }
            let reply = try await response(storeRequest)
            return Response(
                status: HTTPResponse.Status(code: reply.status), headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: reply.body)))
        }
        let application = Application(
            responder: responder, server: try .tls(tlsConfiguration: tls),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) })
        // Shut down gracefully instead of cancelled: a connection in the process of being accepted must not be dropped.
        var configuration = ServiceGroupConfiguration(
            services: [application], logger: Logger(label: "store") { _ in SwiftLogNoOpLogHandler() })
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: configuration)
        let running = Task { try await group.run() }
        func stop() async {
            await group.triggerGracefulShutdown()
            _ = await running.result
        }
        for await port in ports.stream {
            do {
                try await body(
                    LoopbackStore(url: "https://localhost:\(port)", root: authority.certificate, recorded: recorded))
            } catch {
                await stop()
                throw error
            }
            break
        }
        await stop()
    }
}
