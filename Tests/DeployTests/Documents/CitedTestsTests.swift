import Foundation
import Testing

/// Checks that the articles cite tests by their current names: `*Name of a suite* (NameOfATarget)`.
@Suite("Tests cited in articles") struct CitedTestsTests {
    @Test("Each cited name is the name of a test or a suite")
    func names() throws {
        var existing: Set<Substring> = []
        for source in try Self.texts(in: "Tests", withExtension: "swift") {
            for match in source.matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/) { existing.insert(match.1) }
        }
        let cited = try Self.texts(in: "Sources", withExtension: "md").flatMap(Self.citedNames)
        #expect(cited.count > 150)
        #expect(cited.filter { !existing.contains($0[...]) } == [])
    }

    /// Returns the emphasised names in paragraphs that name a test target.
    private static func citedNames(in article: String) -> [String] {
        article.split(separator: "\n\n").filter { $0.contains(/(Tests|Suites)\)/) }.flatMap { paragraph in
            paragraph.matches(of: /(?:^|[^*])\*([A-Z][^*]*)\*/).map { match in
                match.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
        }
        .filter { !$0.hasPrefix("Planned") }
    }

    private static func texts(in folder: String, withExtension name: String) throws -> [String] {
        let files = FileManager.default.enumerator(
            at: MarkdownFile.root.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == name }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
