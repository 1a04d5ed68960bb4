import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Conformance

@Suite("Duration of an exchange")
struct ProbeTransportTests {
    @Test("starts after the TLS handshake")
    func handshake() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await FakePublisherServer.TLS(in: folder)
            tls.delay = .milliseconds(300)
            let roots = tls.roots
            try await FakePublisherServer().serve(tls: tls) { port in
                let endpoint = Endpoint(root: try #require(Address("https://127.0.0.1:\(port)/test")))
                let start = ContinuousClock.now
                let exchange = await ProbeTransport(trust: .verified(roots)).exchange(
                    Probe(.missingToken, .verifySubscription, [], at: endpoint))
                let whole = (ContinuousClock.now - start) / .seconds(1)
                #expect(exchange.response?.status == 200 && exchange.seconds > 0)
                #expect(whole - exchange.seconds >= 0.3)
            }
        }
    }

    @Test("does not start if the handshake never completes")
    func connectionRefused() async throws {
        try await FakePublisherServer().serve { port in
            let endpoint = Endpoint(root: try #require(Address("https://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.timeout = 5
            let exchange = await transport.exchange(Probe(.missingToken, .verifySubscription, [], at: endpoint))
            #expect(exchange.outcome == .failure(.timedOut) && exchange.seconds == 0)
        }
    }

    @Test("beyond the timeout is never reported as a closed connection, even under load")
    func silent() async throws {
        try await FakePublisherServer { _, response in response.isSilence = true }.serve { port in
            let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.timeout = 1
            let outcomes = await withTaskGroup(of: Exchange.self) { group in
                for _ in 0..<100 {
                    group.addTask { [transport] in
                        await transport.exchange(Probe(.missingToken, .verifySubscription, [], at: endpoint))
                    }
                }
                return await group.reduce(into: []) { $0.append($1.outcome) }
            }
            // Under load, a connection may not be established in time, so the server counts as unreachable.
            let others = outcomes.filter { $0 != .failure(.timedOut) && $0 != .failure(.unreachable) }
            #expect(others.isEmpty, "\(others)")
        }
    }

    @Test("beyond the timeout in a handshake reveals nothing about the TLS versions")
    func silentHandshake() async throws {
        // Accepts connections and sends nothing.
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { server.close(promise: nil) }
        let address = try #require(Address("https://127.0.0.1:\(server.localAddress?.port ?? 0)/test"))
        var extended = ProbeTransport()
        extended.timeout = 2
        let transport = extended
        await #expect(throws: ProbeFailure.timedOut) {
            _ = try await TLSProbe(address: address, transport: transport).performHandshake()
        }
        await #expect(throws: ProbeFailure.timedOut) {
            try await PairedStreams.withConnection(to: address, transport) { _ in }
        }
        let nobody = try #require(Address("https://127.0.0.1:\(try FreePort.find())/test"))
        await #expect(throws: ProbeFailure.connectionRefused) {
            _ = try await TLSProbe(address: nobody, transport: transport).performHandshake()
        }
    }
}
