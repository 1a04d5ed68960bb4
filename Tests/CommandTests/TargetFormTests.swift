import TestSupport
import Testing

@Suite("Request target over HTTP/2", .serialized)
struct TargetFormTests {
    @Test("A target that is not a path is rejected without routing it (RFC 9113 section 8.3.1)")
    func forms() async throws {
        let settings = "server: {tls: {certificate: chain.pem, key: key.pem}, "
        try await withSample(configuration: { $0.replacing("server: {", with: settings) }) { sample in
            let made = try await CommandRun.of(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=a", "-keyout", "key.pem", "-out", "chain.pem",
                ], in: sample.folder)
            try #require(made.status == 0, "\(made.errors)")
            try await withServer(sample.launch) { _ in
                for (target, status) in [
                    ("/healthz", 200), ("healthz", 400), ("content/daily/\(Sample.free).zip", 400), ("*", 400),
                    ("a:443", 400),
                ] {
                    let statuses = try await RawStreams.withConnection(port: sample.port) { streams in
                        await streams.send(RawStreams.opening() + RawStreams.get(target, on: 1))
                        return await streams.outcome(until: 1).statuses
                    }
                    #expect(statuses == [status], "\(target)")
                }
            }
        }
    }
}
