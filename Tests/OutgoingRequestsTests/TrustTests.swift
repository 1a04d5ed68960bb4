import Foundation
import NIOCore
import NIOPosix
import Settings
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("Asking over HTTPS")
struct TrustTests {
    @Test("Only who has a certificate of the authorities that are named is asked", .timeLimit(.minutes(10)))
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
                var isTaken = settings.trustOnly(try String(contentsOfFile: authority.certificate, encoding: .utf8))
                #expect(isTaken)
                #expect(try await OutgoingHTTP(settings).send(HTTPQuestion(url: url)).status == 200)
                isTaken = settings.trustOnly(try String(contentsOfFile: stranger.certificate, encoding: .utf8))
                #expect(isTaken)
                let mistaken = OutgoingHTTP(settings)
                await #expect(throws: HTTPFailure.untrusted) { try await mistaken.send(HTTPQuestion(url: url)) }
                let read = try YAMLSettings.read(
                    text: "timeout: 5s\ntls: {root: {file: \(authority.certificate)}}", name: "a.yaml", folder: "/",
                    environment: [:])
                let configured = OutgoingHTTP(try OutgoingHTTPSettings(read))
                #expect(try await configured.send(HTTPQuestion(url: url)).status == 200)
            }
        }
    }

    @Test("Whoever is late with the handshake is not there, rather than somebody one must not trust")
    func lateHandshake() async throws {
        // Takes connections, and says nothing.
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { server.close(promise: nil) }
        let url = try #require(ServiceURL("https://localhost:\(server.localAddress?.port ?? 0)/"))
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = 1
        settings.timeout = 600
        let client = OutgoingHTTP(settings)
        await #expect(throws: HTTPFailure.unreachable) { try await client.send(HTTPQuestion(url: url)) }
    }

    @Test("A text that holds no certificate changes nothing")
    func noCertificate() {
        var settings = OutgoingHTTPSettings()
        for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let isTaken = settings.trustOnly(text)
            #expect(!isTaken, "\(text)")
        }
    }
}
