import Foundation
import TestSupport
import Testing

/// The configuration of a server whose times are compared.
enum TimedServer {
    /// Nobody is throttled, no refusal is forgotten during a run, and nothing else decides about the times.
    static func patient(_ configuration: String) throws -> String {
        let text = try replacing("per_address: 100000, per_identifier: 10000", with: limits, in: configuration)
        // Nothing stands around a system that is a file of this machine.
        guard text.contains("protection:") else { return text }
        return try replacing(
            "freshness: 1s, negative: 1s", with: "freshness: 1h, negative: 1h",
            in: replacing("deadline: 2s", with: "deadline: 20s", in: text))
    }

    /// The configuration is another test's: what it does not say as expected would be measured with other settings unnoticed.
    private static func replacing(_ short: String, with long: String, in text: String) throws -> String {
        try #require(text.contains(short), "the configuration does not say \(short)")
        return text.replacing(short, with: long)
    }

    private static let limits = "per_address: 1000000, per_identifier: 1000000, per_wide_block: 10000000"

    /// The same over TLS, with HTTP/2.
    static func secure(_ configuration: String, in folder: URL) async throws -> String {
        let made = try await CommandRun.of(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=gate", "-keyout", "key.pem", "-out", "chain.pem",
            ], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        return try replacing(
            "server: {", with: "server: {tls: {certificate: chain.pem, key: key.pem}, ", in: patient(configuration))
    }
}
