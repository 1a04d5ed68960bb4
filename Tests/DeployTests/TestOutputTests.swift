import Foundation
import TestSupport
import Testing

/// Tests `deploy/lib/test-output.sh` with lines as `swift test` prints them.
@Suite("Test results that deploy/test reads")
struct TestOutputTests {
    private static let printed = """
        ◇ Test run started.
        ➜ Suite "Timing" skipped: "run deploy/test --timing"
        ◇ Test "Damaged rows are skipped and reported" started.
        ◇ Test "Rows that failed are skipped" started.
        ◇ Test case passing 1 argument row → "a skipped: row" to "Rows that failed are skipped" started.
        ◇ Test "A lock passed to a child" started.
        ◇ Test plain() started.
        ➜ Test "No server" skipped.
        ➜ Test slow() skipped: "run deploy/test --timing"
        ✘ Test "Rows that failed are skipped" recorded an issue at a.swift:7:27: Expectation failed: skipped
        ✘ Test "Rows that failed are skipped" with 2 test cases failed after 0.001 seconds with 1 issue.
        ✔ Test "Damaged rows are skipped and reported" passed after 0.001 seconds.

        """

    /// Returns the lines that a function of the script prints.
    private func lines(of function: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "test-output-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "printed")
        try Data(Self.printed.utf8).write(to: file)
        let run = try await CommandRun.of(
            "bash", ["-euo", "pipefail", "-c", ". deploy/lib/test-output.sh; \(function) \"$1\"", "bash", file.path],
            in: MarkdownFile.root)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test("A test is skipped only if Swift Testing says so, whatever the names of other tests say")
    func skipped() async throws {
        #expect(
            try await lines(of: "skipped_tests") == [
                #"Test "No server" skipped."#, #"Test slow() skipped: "run deploy/test --timing""#,
            ])
    }

    @Test("A test has not ended if it started and neither passed nor failed")
    func unended() async throws {
        #expect(try await lines(of: "unended_tests") == [#""A lock passed to a child""#, "plain()"])
    }
}
