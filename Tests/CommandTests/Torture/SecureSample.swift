import Foundation
import TestSupport
import Testing

/// Serves the sample over TLS and so over HTTP/2.
struct SecureSample: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withSecureSample { sample, server in
            try await Sample.$served.withValue((sample, server)) { try await function() }
        }
    }
}

/// Runs the body while a new sample is served over TLS.
func withSecureSample(_ body: (Sample, ServerProcess) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let sample = try await Sample(in: folder) {
            $0.replacing("server: {", with: "server: {tls: {certificate: chain.pem, key: key.pem}, ")
        }
        let made = try await CommandRun.of(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "60",
                "-subj", "/CN=a", "-keyout", "key.pem", "-out", "chain.pem",
            ], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        try await withServer(sample.launch) { server in
            try await body(sample, server)
        }
    }
}
