import Foundation
import TestSupport
import Testing

/// The program that derives requests from a description of an API, and compares the responses with it.
private enum Schemathesis {
    /// The program, which `deploy/test` installs from PyPI into a folder of its own.
    static let path =
        ProcessInfo.processInfo.environment["SCHEMATHESIS"]
        ?? URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.build/schemathesis/bin/schemathesis").standardizedFileURL.path

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

@Suite(
    "Admin API: schemathesis", .serialized, .servedSample(), .timeLimit(.minutes(10)),
    .enabled(if: Schemathesis.isInstalled))
struct AdminAPISchemathesisTests {
    @Test(
        "Each response to valid, invalid and unauthenticated requests is as the description says",
        arguments: ["viewer", "support", "operator", "admin"])
    func role(_ role: String) async throws {
        let sample = try Sample.current
        let created = try await sample.succeed(["admin", "token", "new", "--name", "schemathesis", "--role", role])
        let token = try #require(created.split(separator: "\n").first)
        let root = "http://127.0.0.1:\(sample.adminPort)/admin/v1"
        let run = try await CommandRun.of(
            Schemathesis.path,
            [
                "run", "\(root)/openapi.json", "--url", root, "-H", "Authorization: Bearer \(token)", "--no-color",
                // A schema cannot express each rule of a value, such as that a reason has no e-mail address. Requests without a
                // token soon get status 429; AdminAPIMatrixTests tests them.
                "--exclude-checks", "positive_data_acceptance,ignored_auth", "--max-time", "20", "--max-examples", "20",
                "--continue-on-failure", "--seed", "7", "--generation-database", "none", "--warnings", "off",
            ], in: sample.folder, limit: .seconds(120))
        #expect(run.status == 0, "\(run.output.suffix(6_000)) \(run.errors.suffix(1_000))")
        #expect(try await sample.admin.send("GET", "/healthz").status == 200)
    }
}
