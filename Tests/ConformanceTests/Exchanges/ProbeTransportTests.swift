import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Conformance

@Suite("The time of an exchange")
struct ProbeTransportTests {
    @Test("begins when the TLS handshake is done")
    func handshake() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await StandIn.TLS(in: folder)
            tls.delay = .milliseconds(300)
            let roots = tls.roots
            try await StandIn().serve(tls: tls) { port in
                let endpoint = Endpoint(root: try #require(Address("https://127.0.0.1:\(port)/test")))
                let start = ContinuousClock.now
                let exchange = await ProbeTransport(trust: .verified(roots)).exchange(
                    Probe(.missingToken, .verifySubscription, [], at: endpoint))
                let whole = (ContinuousClock.now - start) / .seconds(1)
                #expect(exchange.answer?.status == 200 && exchange.seconds > 0)
                #expect(whole - exchange.seconds >= 0.3)
            }
        }
    }

    @Test("does not begin where no handshake comes about")
    func refused() async throws {
        try await StandIn().serve { port in
            let endpoint = Endpoint(root: try #require(Address("https://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.patience = 5
            let exchange = await transport.exchange(Probe(.missingToken, .verifySubscription, [], at: endpoint))
            #expect(exchange.outcome == .failure(.timedOut) && exchange.seconds == 0)
        }
    }

    @Test("that has run out is never taken for a server that hung up, however busy the machine is")
    func silent() async throws {
        try await StandIn { _, answer in answer.isSilence = true }.serve { port in
            let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.patience = 1
            let outcomes = await withTaskGroup(of: Exchange.self) { group in
                for _ in 0..<100 {
                    group.addTask { [transport] in
                        await transport.exchange(Probe(.missingToken, .verifySubscription, [], at: endpoint))
                    }
                }
                return await group.reduce(into: []) { $0.append($1.outcome) }
            }
            // Where so many come at once that one is not even connected in time, nobody was reached.
            let others = outcomes.filter { $0 != .failure(.timedOut) && $0 != .failure(.unreachable) }
            #expect(others.isEmpty, "\(others)")
        }
    }

    @Test("that has run out in a handshake says nothing of what the two would have agreed on")
    func silentHandshake() async throws {
        // Takes connections, and says nothing.
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { server.close(promise: nil) }
        let address = try #require(Address("https://127.0.0.1:\(server.localAddress?.port ?? 0)/test"))
        var patient = ProbeTransport()
        patient.patience = 2
        let transport = patient
        await #expect(throws: ProbeFailure.timedOut) {
            _ = try await TLSProbe(address: address, transport: transport).shake()
        }
        await #expect(throws: ProbeFailure.timedOut) {
            try await PairedStreams.withConnection(to: address, transport) { _ in }
        }
        let nobody = try #require(Address("https://127.0.0.1:\(try FreePort.find())/test"))
        await #expect(throws: ProbeFailure.refused) {
            _ = try await TLSProbe(address: nobody, transport: transport).shake()
        }
    }
}
