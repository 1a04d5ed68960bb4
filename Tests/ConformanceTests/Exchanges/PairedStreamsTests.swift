import TestSupport
import Testing

@testable import Conformance

@Suite("Two requests in one record")
struct PairedStreamsTests {
    @Test("have answers that are longer than a server may send ahead")
    func longAnswers() async throws {
        let body = [UInt8](repeating: 0x61, count: 200_000)
        let standIn = StandIn { _, answer in answer.body = body }
        try await withTemporaryFolder { folder in
            var tls = try await StandIn.TLS(in: folder)
            tls.hasHTTP2 = true
            let roots = tls.roots
            try await standIn.serve(tls: tls) { port in
                let address = try #require(Address("https://127.0.0.1:\(port)/test"))
                let probe = Probe(.ordinary, address)
                var transport = ProbeTransport(trust: .verified(roots))
                transport.patience = 10
                let sizes = try await PairedStreams.withConnection(to: address, transport) { streams in
                    var sizes: [Int] = []
                    for _ in 0..<3 { sizes += try await streams.race(probe, probe).answers.map(\.body.count) }
                    return sizes
                }
                #expect(sizes == [Int](repeating: 200_000, count: 6))
            }
        }
    }

    @Test("fail as a request does where nobody is there")
    func nobody() async throws {
        let address = try #require(Address("https://127.0.0.1:\(try FreePort.find())/test"))
        await #expect(throws: ProbeFailure.refused) {
            try await PairedStreams.withConnection(to: address, ProbeTransport()) { _ in }
        }
    }
}
