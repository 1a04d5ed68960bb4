import BackendFixtures
import Foundation
import TestSupport

extension SharedStatePair {
    /// Passes two servers on a state in PostgreSQL to a test, with the database servers.
    static func onPostgreSQL(_ body: (SharedStatePair, StateServers) async throws -> Void) async throws {
        try await withSample { sample in
            try await StateServers.run { servers in try await body(try SharedStatePair(sample, servers), servers) }
        }
    }

    /// Writes the first server's configuration with the state in a file instead.
    ///
    /// - Returns: The launch of a server with it.
    func embed(_ path: String, as name: String) throws -> ServerProcess.Launch {
        let text = try String(contentsOfFile: sample.path("gatefold.yaml"), encoding: .utf8)
        try sample.write(
            name, text.replacing(#/kind: postgresql, .*\{file: secrets/postgresql\}\}/#, with: "path: \(path)"))
        return ServerProcess.Launch(
            GatefoldProgram.path, ["serve", "--config", name], in: sample.folder, until: .ports([ports[0]]))
    }
}
