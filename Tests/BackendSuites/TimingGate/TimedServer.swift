import Foundation
import TestSupport
import Testing

/// The configuration of a server whose times are compared.
enum TimedServer {
    /// Returns a configuration without throttling, with rejections cached for the whole run, and with no other
    /// influence on the times.
    static func extended(_ configuration: String) throws -> String {
        let text = try replacing("per_address: 100000, per_identifier: 10000", with: limits, in: configuration)
        // A system in a local file has no protection.
        guard text.contains("protection:") else { return text }
        return try replacing(
            "ttl: 1s, negative_ttl: 1s", with: "ttl: 1h, negative_ttl: 1h",
            in: replacing("deadline: 2s", with: "deadline: 20s", in: text))
    }

    /// Fails if the text is missing, because the configuration comes from another test and a silent change would
    /// measure other settings.
    private static func replacing(_ short: String, with long: String, in text: String) throws -> String {
        try #require(text.contains(short), "the configuration does not contain \(short)")
        return text.replacing(short, with: long)
    }

    private static let limits = "per_address: 1000000, per_identifier: 1000000, per_network: 10000000"

    /// Returns the same configuration over TLS, with HTTP/2.
    static func secure(_ configuration: String, in folder: URL) async throws -> String {
        let made = try await CommandRun.of(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=gate", "-keyout", "key.pem", "-out", "chain.pem",
            ], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        return try replacing(
            "server: {", with: "server: {tls: {certificate: chain.pem, key: key.pem}, ", in: extended(configuration))
    }
}
