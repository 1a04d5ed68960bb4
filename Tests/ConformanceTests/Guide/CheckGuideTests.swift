import Foundation
import Settings
import TestSupport
import Testing

@testable import Conformance

@Suite("Guide to checking")
struct CheckGuideTests {
    private static func guide() throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Conformance/Conformance.docc/Conformance.md").standardizedFileURL,
            encoding: .utf8)
    }

    /// Returns the fenced code blocks of a language.
    private static func blocks(_ language: String) throws -> [String] {
        try guide().components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test("lists every rule with its source in the table")
    func table() throws {
        let rows = try Self.guide().split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("-") }
        let expected = RuleBook.rules.map { "| `\($0.id)` | \($0.title) | \($0.source) |" }
        #expect(
            rows.map(String.init).filter { expected.contains($0) } == expected, "\(expected.joined(separator: "\n"))")
        let named = rows.compactMap { $0.firstMatch(of: /^\| `([a-z0-9]+(?:-[a-z0-9]+)+)` \|/).map { String($0.1) } }
        #expect(named == RuleBook.rules.map(\.id))
    }

    @Test("shows a cases file that parses")
    func cases() throws {
        let block = try #require(try Self.blocks("yaml").first)
        let cases = try CheckCases(
            try YAMLSettings.read(
                text: block, name: "cases.yaml", folder: "/",
                environment: [
                    "ALAN_PASSWORD": "x", "EARLIER_TOKEN": "w", "EDITION_SECRET": "y", "OLD_TOKEN": "z",
                ]))
        #expect(cases.readers.count == 4 && cases.content != nil && cases.secret != nil)
    }

    @Test("shows the schemas unchanged")
    func schemas() throws {
        let blocks = try Self.blocks("xml")
        let schemas = [PugpigSchemas.token, PugpigSchemas.subscription, PugpigSchemas.credentials]
        #expect(blocks.map { $0.trimmingCharacters(in: .newlines) } == schemas, "\(schemas.joined(separator: "\n\n"))")
    }
}
