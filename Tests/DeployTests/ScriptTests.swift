import Foundation
import TestSupport
import Testing

@Suite("Scripts in deploy")
struct ScriptTests {
    static let names = ["bench", "cluster", "docs", "fuzz", "run", "soak", "test"]

    @Test("are all executable files in the folder")
    func complete() throws {
        let folder = MarkdownFile.root.appending(path: "deploy")
        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return text?.hasPrefix("#!") == true
        }
        #expect(found.sorted() == Self.names)
    }

    @Test("print their usage with --help", arguments: names)
    func help(_ name: String) async throws {
        let run = try await CommandRun.of("bash", ["deploy/\(name)", "--help"], in: MarkdownFile.root)
        #expect(run.status == 0 && run.errors.isEmpty && run.output.contains("Usage: deploy/\(name)"), "\(run.output)")
        #expect(!run.output.contains("set -euo"))
    }

    @Test("are explained in CONTRIBUTING", arguments: names)
    func explained(_ name: String) throws {
        let text = try String(
            contentsOf: MarkdownFile.root.appending(path: ".github/CONTRIBUTING.md"), encoding: .utf8)
        #expect(text.contains("| `deploy/\(name)` |"))
    }
}
