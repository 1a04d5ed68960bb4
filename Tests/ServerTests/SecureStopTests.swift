import AsyncHTTPClient
import Foundation
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

@Suite("A server with TLS that stops", .timeLimit(.minutes(10)))
struct SecureStopTests {
    @Test(
        "does not wait for who is connected and has not shaken hands",
        arguments: [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]] as [[UInt8]])
    func handshake(said: [UInt8]) async throws {
        // It would wait for long.
        try await withSecureServer(grace: .seconds(600)) { server in
            try await RawHTTP(port: server.port).withConnection { connection in
                if !said.isEmpty { try await connection.send(said) }
                // Connections are taken in turn: when a later one is answered, this one was taken.
                #expect(try await server.get("text") == .http2)
                await server.stop()
                let stopped = ContinuousClock.now
                try await connection.readNothingMore()
                #expect(ContinuousClock.now - stopped < .seconds(120))
            }
        }
    }

    @Test("closes a connection of HTTP/2 when its grace is over, before what is not finished has come to an end")
    func haste() async throws {
        try await withSecureServer(grace: .milliseconds(200)) { server in
            let request = Task { try await server.get("held") }
            await until { server.door.waiting == 1 }
            await server.stop()
            do {
                _ = try await request.value
                Issue.record("is answered")
            } catch {
                // Its client is told, and does not have to give up by itself.
                let gaveUp = (error as? HTTPClientError) == .deadlineExceeded
                #expect(!gaveUp)
            }
            #expect(server.door.waiting == 1)
        }
    }
}

/// What a test does to the server.
private struct SecureServer: Sendable {
    let port: Int
    /// What is asked for at `/held` waits here.
    let door: Door
    let client: HTTPClient
    let group: ServiceGroup

    func stop() async { await group.triggerGracefulShutdown() }

    /// The version in which the answer came.
    func get(_ path: String) async throws -> HTTPVersion {
        let request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/\(path)")
        let answer = try await client.execute(request, timeout: .seconds(120))
        _ = try await answer.body.collect(upTo: 1 << 10)
        return answer.version
    }
}

/// Connections are of the kind that Gatefold's own are with TLS.
///
/// - Parameter grace: when the server stops, for what is not finished.
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
        let door = Door()
        let router = Router()
        router.get("text") { _, _ in "text" }
        router.get("held") { _, _ in
            await door.pass()
            return "held"
        }
        let ports = AsyncStream<Int>.makeStream()
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router,
            server: HTTPServerBuilder { responder in
                // More than the tests allow: whoever is closed is closed for the stop.
                try GatefoldServer.secure(responder, tls, patience: .seconds(180))
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
        var asking = HTTPClient.Configuration()
        asking.tlsConfiguration = trusting
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: asking)
        let server = SecureServer(port: port, door: door, client: client, group: group)
        let result = await Task { try await body(server) }.result
        door.open()
        await server.stop()
        _ = await run.result
        try await client.shutdown()
        try result.get()
    }
}
