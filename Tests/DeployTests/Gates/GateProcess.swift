import Foundation
import TestSupport

/// Runs the body with `gatefold serve` on a free port of 127.0.0.1.
///
/// - Parameter more: Additional sections of the configuration.
func withGate(_ more: String = "", _ body: @Sendable @escaping (GateHarness) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let port = try FreePort.find()
        try write(more + GateHarness.configuration, to: folder.appendingPathComponent("gatefold.yaml"))
        try write(GateHarness.secretText, to: folder.appendingPathComponent("secret"))
        try write(GateHarness.testSecretText, to: folder.appendingPathComponent("test"))
        try write(GateHarness.pseudonymSecretText, to: folder.appendingPathComponent("pseudonyms"))
        let gatefold = ServerProcess.Launch(
            GatefoldProgram.path, ["serve", "--config", "gatefold.yaml", "--port", "\(port)"], in: folder,
            until: .port(port))
        try await withServer(gatefold) { _ in try await body(GateHarness(port: port)) }
    }
}

private func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
}

extension GateHarness {
    static let pseudonymSecretText = "9c41e6d27a0b85f3 for pseudonyms"

    static let testSecretText = "2f7ab8c05e19d364 of the test users"

    fileprivate static let configuration = """
        server: {public_url: "http://127.0.0.1"}
        state: {path: state.sqlite, pseudonym_secret: {file: pseudonyms}}
        backends:
          house: {kind: sqlite, path: house.sqlite}
          made-up: {kind: test}
        publications:
          \(publication):
            default: true
            backend: house
            secrets: {file: secret}
            edition_credentials: {accept_plain_salts: true}
            content: {open: ["covers/**"]}
            apps: [com.example.daily]
            baker: {}
            catalogue:
              - {id: \(freeEdition), published: 2026-01-01, free: true}
          test:
            test: true
            backend: made-up
            policy: backend
            edition_credentials: {salt: plain}
            secrets: {file: test}
        """
}
