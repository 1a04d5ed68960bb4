import Foundation
import Testing

@Suite("Suites cited in articles")
struct CitedSuiteTests {
    @Test("exist under the cited names")
    func names() throws {
        let tests = MarkdownFile.root.appending(path: "Tests")
        var suites: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /@Suite\(\s*"([^"]+)"/) { suites.insert(String(match.1)) }
        }
        var count = 0
        for file in try MarkdownFile.all() where file.path.contains("/Pitfalls/") {
            let paragraphs = file.lines.split(separator: "").map { $0.joined(separator: " ") }
            for paragraph in paragraphs where paragraph.hasPrefix("**How it is tested.** ") {
                for match in paragraph.dropFirst("**How it is tested.**".count).matches(of: /\*([^*]+)\*/)
                where !match.1.hasPrefix("Planned") {
                    #expect(suites.contains(String(match.1)), "\(file.path) cites the suite \(match.1)")
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }
}
