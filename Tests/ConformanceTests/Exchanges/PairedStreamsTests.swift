import TestSupport
import Testing

@testable import Conformance

@Suite("Two requests in one TLS record")
struct PairedStreamsTests {
    @Test("receive responses longer than the flow control window")
    func longResponses() async throws {
        let body = [UInt8](repeating: 0x61, count: 200_000)
        let fake = FakePublisherServer { _, response in response.body = body }
        try await withTemporaryFolder { folder in
            var tls = try await FakePublisherServer.TLS(in: folder)
            tls.hasHTTP2 = true
            let roots = tls.roots
            try await fake.serve(tls: tls) { port in
                let address = try #require(Address("https://127.0.0.1:\(port)/test"))
                let probe = Probe(.ordinary, address)
                var transport = ProbeTransport(trust: .verified(roots))
                transport.timeout = 10
                let sizes = try await PairedStreams.withConnection(to: address, transport) { streams in
                    var sizes: [Int] = []
                    for _ in 0..<3 { sizes += try await streams.race(probe, probe).responses.map(\.body.count) }
                    return sizes
                }
                #expect(sizes == [Int](repeating: 200_000, count: 6))
            }
        }
    }

    @Test("fail like a single request if the server is unreachable")
    func nobody() async throws {
        let address = try #require(Address("https://127.0.0.1:\(try FreePort.find())/test"))
        await #expect(throws: ProbeFailure.connectionRefused) {
            try await PairedStreams.withConnection(to: address, ProbeTransport()) { _ in }
        }
    }
}
