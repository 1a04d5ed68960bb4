import Foundation
import TestSupport
import Testing

/// A shared cache in front of the endpoint.
enum Varnish {
    /// Runs the body while Varnish serves a port of 127.0.0.1 for the origin.
    ///
    /// - Parameter rules: Additional rules in VCL. The default rules of Varnish obey the origin.
    static func serve<Result: Sendable>(
        before origin: Int, _ rules: String = "", _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let path = "/usr/sbin/varnishd"
        try #require(
            FileManager.default.fileExists(atPath: path), "\(path) is missing; install the Debian package varnish")
        return try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let file = folder.appendingPathComponent("cache.vcl")
            let backend = "backend origin { .host = \"127.0.0.1\"; .port = \"\(origin)\"; }"
            try Data("vcl 4.1;\n\(backend)\n\(rules)\n".utf8).write(to: file)
            let launch = ServerProcess.Launch(
                path,
                [
                    "-F", "-n", folder.appendingPathComponent("varnish").path, "-a", "127.0.0.1:\(port)", "-f",
                    file.path, "-s", "malloc,64m",
                ], in: folder, until: .port(port))
            return try await withServer(launch) { _ in try await body(port) }
        }
    }
}
