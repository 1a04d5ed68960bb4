import AsyncHTTPClient
import Foundation
import FrontDoors
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceLifecycle
import TestSupport
import Testing

@testable import Server

@Suite("Shutdown of a TLS server", .timeLimit(.minutes(10)))
struct SecureStopTests {
    @Test(
        "The shutdown does not wait for a client that has not completed the handshake",
        arguments: [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]] as [[UInt8]])
    func handshake(sentBytes: [UInt8]) async throws {
        // The grace is much longer than the test allows.
        try await withSecureServer(grace: .seconds(600)) { server in
            try await RawHTTP(port: server.port).withConnection { connection in
                if !sentBytes.isEmpty { try await connection.send(sentBytes) }
                // Connections are accepted in order: when a later one gets a response, this one was accepted.
                #expect(try await server.get("text") == .http2)
                await server.stop()
                let stopped = ContinuousClock.now
                try await connection.readNothingMore()
                #expect(ContinuousClock.now - stopped < .seconds(120))
            }
        }
    }

    @Test("Closes an HTTP/2 connection at the end of the grace before its unfinished work ends")
    func haste() async throws {
        try await withSecureServer(grace: .milliseconds(200)) { server in
            let request = Task { try await server.get("held") }
            await until { server.latch.waiting == 1 }
            await server.stop()
            do {
                _ = try await request.value
                Issue.record("the request got a response after the stop")
            } catch {
                // The client receives the closure and does not run into its own timeout.
                let abandoned = (error as? HTTPClientError) == .deadlineExceeded
                #expect(!abandoned)
            }
            #expect(server.latch.waiting == 1)
        }
    }
}

/// Controls the server of a test.
private struct SecureServer: Sendable {
    let port: Int
    /// Requests to `/held` wait here.
    let latch: ManualLatch
    let client: HTTPClient
    let group: ServiceGroup

    func stop() async { await group.triggerGracefulShutdown() }

    /// Returns the HTTP version of the response.
    func get(_ path: String) async throws -> HTTPVersion {
        let request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/\(path)")
        let response = try await client.execute(request, timeout: .seconds(120))
        _ = try await response.body.collect(upTo: 1 << 10)
        return response.version
    }
}

/// Starts a server with the same TLS connections as Gatefold.
///
/// - Parameter grace: The shutdown grace for unfinished connections.
private func withSecureServer(
    grace: Duration, _ body: @escaping @Sendable (SecureServer) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let made = try await CommandRun.of(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=a", "-keyout", "key.pem", "-out", "chain.pem",
            ], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let files = GatefoldConfiguration.TLSFiles(
            certificate: folder.appendingPathComponent("chain.pem").path,
            key: folder.appendingPathComponent("key.pem").path)
        let tls = try ReloadableTLS(files).configuration()
        let latch = ManualLatch()
        let router = Router(context: GatefoldRequestContext.self)
        router.get("text") { _, _ in "text" }
        router.get("held") { _, _ in
            await latch.pass()
            return "held"
        }
        let ports = AsyncStream<Int>.makeStream()
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let responder = RequestResponder(router.buildResponder(), logger: quiet)
        let application = Application(
            router: router,
            server: HTTPServerBuilder { _ in
                // Longer than the tests allow, so a closed connection was closed by the stop.
                try GatefoldServer.secure(responder, tls, stallTimeout: .seconds(180))
            },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
        configuration.maximumGracefulShutdownDuration = grace
        let group = ServiceGroup(configuration: configuration)
        let run = Task { try await group.run() }
        var iterator = ports.stream.makeAsyncIterator()
        let port = try #require(await iterator.next())
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.certificateVerification = .none
        var clientConfiguration = HTTPClient.Configuration()
        clientConfiguration.tlsConfiguration = trusting
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: clientConfiguration)
        let server = SecureServer(port: port, latch: latch, client: client, group: group)
        let result = await Task { try await body(server) }.result
        latch.open()
        await server.stop()
        _ = await run.result
        try await client.shutdown()
        try result.get()
    }
}
