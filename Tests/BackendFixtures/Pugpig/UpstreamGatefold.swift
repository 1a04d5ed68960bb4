import Foundation
public import TestSupport

/// A separate Gatefold process as the endpoint that another one queries.
public struct UpstreamGatefold: Sendable {
    public let port: Int
    public let server: RestartableServer

    /// Starts the program with one publication, runs the body, and stops the program in any case.
    ///
    /// - Parameters:
    ///   - backend: the backend's settings in YAML without indentation.
    ///   - publication: further settings of the publication.
    public static func run(
        backend: String, publication: String, _ body: (UpstreamGatefold) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let text = """
                server: {listen: "127.0.0.1:\(port)"}
                state: {path: state.sqlite, pseudonym_secret: {env: UPSTREAM_PSEUDONYMS}, sessions_per_hour: 1000000}
                login_throttle: {per_address: 100000, per_identifier: 10000}
                passwords: {cost: 1}
                backends:
                  house:
                \(indented(backend))
                publications:
                  upstream:
                    backend: house
                    policy: backend
                    secrets: [{env: UPSTREAM_EDITIONS}]
                \(indented(publication))

                """
            try Data(text.utf8).write(to: folder.appending(path: "gatefold.yaml"))
            let secrets = ["UPSTREAM_PSEUDONYMS": "hB5vQ2mX9tLc7sRw", "UPSTREAM_EDITIONS": "Zp3nD8kY6gJf4aVe"]
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve"], environment: secrets, in: folder, until: .port(port))
            try await withRestartableServer(launch) { server in
                try await body(UpstreamGatefold(port: port, server: server))
            }
        }
    }

    private static func indented(_ lines: String) -> String {
        lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    }
}
