import Foundation
import NIOCore
import NIOPosix
import Settings
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("Outgoing HTTPS client")
struct TrustTests {
    @Test("Accepts only certificates of the configured authorities", .timeLimit(.minutes(10)))
    func ownAuthority() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("authority", in: folder)
            let stranger = try await TestAuthority("stranger", in: folder)
            let issued = try await authority.issue("server", names: "DNS:localhost")
            let port = try FreePort.find()
            let server = ServerProcess.Launch(
                "openssl",
                ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", issued.certificate, "-key", issued.key, "-www"],
                in: folder, until: .port(port))
            try await withServer(server) { _ in
                let url = try #require(ServiceURL("https://localhost:\(port)/"))
                var settings = OutgoingHTTPSettings()
                var isOccupied = settings.trustOnly(try String(contentsOfFile: authority.certificate, encoding: .utf8))
                #expect(isOccupied)
                #expect(try await OutgoingHTTP(settings).send(OutboundRequest(url: url)).status == 200)
                isOccupied = settings.trustOnly(try String(contentsOfFile: stranger.certificate, encoding: .utf8))
                #expect(isOccupied)
                let mistaken = OutgoingHTTP(settings)
                await #expect(throws: HTTPFailure.untrusted) { try await mistaken.send(OutboundRequest(url: url)) }
                let read = try YAMLSettings.read(
                    text: "timeout: 5s\ntls: {root: {file: \(authority.certificate)}}", name: "a.yaml", folder: "/",
                    environment: [:])
                let configured = OutgoingHTTP(try OutgoingHTTPSettings(read))
                #expect(try await configured.send(OutboundRequest(url: url)).status == 200)
            }
        }
    }

    @Test("Reports a slow TLS handshake as unreachable, not as untrusted")
    func lateHandshake() async throws {
        // A server that accepts connections and sends nothing.
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { server.close(promise: nil) }
        let url = try #require(ServiceURL("https://localhost:\(server.localAddress?.port ?? 0)/"))
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = 1
        settings.timeout = 600
        let client = OutgoingHTTP(settings)
        await #expect(throws: HTTPFailure.unreachable) { try await client.send(OutboundRequest(url: url)) }
    }

    @Test("Ignores a text without a certificate")
    func noCertificate() {
        var settings = OutgoingHTTPSettings()
        for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let isOccupied = settings.trustOnly(text)
            #expect(!isOccupied, "\(text)")
        }
    }
}
