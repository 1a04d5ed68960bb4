import Foundation
import TestSupport
import Testing

/// Compares the lists in `deploy/lib/fast-tests.sh` with the tests, because a filter ignores a name that matches nothing.
@Suite("Lists of the fast tests")
struct FastTestListTests {
    /// Returns the items of an array in the script.
    private func items(of list: String) async throws -> [String] {
        let script = ". deploy/lib/fast-tests.sh; printf '%s\\n' \"${\(list)[@]}\""
        let run = try await CommandRun.of("bash", ["-c", script], in: MarkdownFile.root)
        let items = run.output.split(separator: "\n").map(String.init)
        try #require(items.count > 1, "\(run.errors)")
        return items
    }

    private func files(of target: String) -> [URL] {
        let folder = MarkdownFile.root.appending(path: "Tests/\(target)")
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    @Test("Each target is a folder with tests")
    func targets() async throws {
        for target in try await items(of: "fast_targets") { #expect(!files(of: target).isEmpty, "\(target)") }
    }

    @Test("Each suite is declared in its target, and the target is listed")
    func suites() async throws {
        let targets = try await items(of: "fast_targets")
        let filesOfTargets = Dictionary(uniqueKeysWithValues: targets.map { ($0, files(of: $0)) })
        for suite in try await items(of: "slow_suites") {
            let names = suite.split(separator: ".").map(String.init)
            let files = try #require(filesOfTargets[names[0]], "\(suite)")
            // Most suites have a file of their own. Only the files of targets with other suites are read.
            if files.contains(where: { $0.lastPathComponent == "\(names[1]).swift" }) { continue }
            #expect(
                try files.contains { try String(contentsOf: $0, encoding: .utf8).contains("struct \(names[1])") },
                "\(suite)")
        }
    }
}
