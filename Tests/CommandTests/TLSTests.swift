import Foundation
import TestSupport
import Testing

@Suite("TLS", .serialized)
struct TLSTests {
    private func makeCertificate(_ name: String, in folder: URL, certificate: String, key: String) async throws {
        let made = try await CommandRun.of(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-keyout", key, "-out", certificate,
            ], in: folder)
        try #require(made.status == 0, "\(made.errors)")
    }

    private func curl(_ sample: Sample, _ arguments: [String]) async throws -> CommandRun {
        try await CommandRun.of(
            "curl", ["-q", "--insecure", "--silent", "--show-error", "--max-time", "20"] + arguments,
            in: sample.folder)
    }

    private func subject(_ sample: Sample) async throws -> String? {
        let run = try await curl(sample, ["-v", "-o", "answer", "https://127.0.0.1:\(sample.port)/healthz"])
        return run.errors.firstMatch(of: /subject: CN=([a-z]+)/).map { String($0.1) }
    }

    /// Returns a Boolean value that indicates whether Ada gets a token for the weekly, whose database has another
    /// password for her.
    private func signsIn(_ sample: Sample, _ password: String) async throws -> Bool {
        let run = try await curl(
            sample,
            [
                "--data-urlencode", "email=\(Sample.ada.email)", "--data-urlencode", "password=\(password)",
                "https://127.0.0.1:\(sample.port)/weekly/sign_in",
            ])
        return run.output.contains("<token")
    }

    @Test("Serves HTTP/2 and HTTP/1.1 with no-cache headers, and reloads the key pair on SIGHUP")
    func tls() async throws {
        let adminTLS = "admin_tls: {certificate: admin.pem, key: admin-key.pem}"
        let settings = "server: {tls: {certificate: chain.pem, key: key.pem}, \(adminTLS), "
        try await withSample(configuration: { $0.replacing("server: {", with: settings) }) { sample in
            try await makeCertificate("first", in: sample.folder, certificate: "chain.pem", key: "key.pem")
            try await makeCertificate("admin", in: sample.folder, certificate: "admin.pem", key: "admin-key.pem")
            try await withServer(sample.launch) { server in
                for (option, version) in [("--http2", "HTTP/2 "), ("--http1.1", "HTTP/1.1 ")] {
                    let calls: [(path: String, status: String, more: [String])] = [
                        ("healthz", "200", []), ("sign_in", "200", ["-d", "email=a&password=b"]),
                        ("nowhere", "404", []), ("sign_in", "405", ["-X", "PUT"]),
                        ("content/daily/\(Sample.third).zip", "403", []), ("sign_in", "200", ["--head"]),
                    ]
                    for call in calls {
                        let run = try await curl(
                            sample,
                            [option, "-D", "-", "-o", "answer"] + call.more
                                + ["https://127.0.0.1:\(sample.port)/\(call.path)"])
                        let lines = run.output.lowercased().split(whereSeparator: \.isNewline)
                        #expect(lines.first?.hasPrefix((version + call.status).lowercased()) == true, "\(run)")
                        #expect(
                            lines.contains("cache-control: no-store, no-cache, must-revalidate, private, max-age=0"))
                        #expect(lines.contains("pragma: no-cache"))
                        #expect(lines.contains("expires: 0"))
                        #expect(!lines.contains { $0.hasPrefix("etag:") || $0.hasPrefix("last-modified:") })
                    }
                    // Over TLS, the system cannot send a file directly.
                    let name = "\(Sample.free).zip"
                    let url = "https://127.0.0.1:\(sample.port)/content/daily/\(name)"
                    _ = try await curl(sample, [option, "-o", name, url])
                    #expect(
                        try Data(contentsOf: sample.folder.appendingPathComponent(name))
                            == Data(EditionStore.bytes(of: name)))
                }

                #expect(try await subject(sample) == "first")
                try await makeCertificate("second", in: sample.folder, certificate: "chain.pem", key: "key.pem")
                server.send(SIGHUP)
                #expect(try await eventually { try await subject(sample) == "second" })

                // A mismatched pair leaves everything else unchanged too.
                try sample.configure {
                    $0.replacing("server: {", with: settings).replacing("backend: other", with: "backend: house")
                }
                try await makeCertificate("third", in: sample.folder, certificate: "chain.pem", key: "unused.pem")
                server.send(SIGHUP)
                #expect(try await eventually { server.output.contains("expected the private key of") })
                #expect(try await subject(sample) == "second")
                #expect(try await signsIn(sample, Sample.ada.password) == false)
                #expect(try await signsIn(sample, "another engine"))

                // So does a mismatched pair of the admin listener.
                try await makeCertificate("third", in: sample.folder, certificate: "chain.pem", key: "key.pem")
                try await makeCertificate("other", in: sample.folder, certificate: "admin.pem", key: "unused.pem")
                server.send(SIGHUP)
                #expect(
                    try await eventually {
                        server.output.split(separator: "expected the private key of", omittingEmptySubsequences: false)
                            .count == 3
                    })
                #expect(try await subject(sample) == "second")
            }
        }
    }
}
