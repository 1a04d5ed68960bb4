import Foundation
import Testing

@testable import Conformance

@Suite("Sources of the rules")
struct SourcesTests {
    @Test("are parsed from a rule's source text")
    func names() {
        let names = [
            "Pugpig protocol: Caching headers; Pitfall 16; RFC 9111 section 5.1": [
                "Pugpig protocol: Caching headers", "Pitfall 16",
            ],
            "RFC 9110 section 4.3.4; Input pitfalls: Certificate checks that are switched off": [
                "Input pitfalls: Certificate checks that are switched off"
            ],
            "Design rules: Downloads resume; RFC 9110 section 14.2": ["Design rules: Downloads resume"],
            "Pugpig protocol: Response format; XML 1.0": ["Pugpig protocol: Response format"], "RFC 8996": [],
        ]
        for (source, expected) in names { #expect(SourceCitation.names(in: source) == expected) }
    }

    @Test("are combined into a rule's reason, in order, with consequences preferred over requirements")
    func text() throws {
        func text(_ names: String...) throws -> String {
            try names.map { name in try #require(SourceCitation.all.first { $0.name == name }).text }
                .joined(separator: " ")
        }
        let pitfalls = try text("Pitfall 16", "Pitfall 2")
        let withPitfalls = "Pugpig protocol: Status codes; Pitfall 16; Pitfall 2; RFC 9111 section 3.5"
        #expect(SourceCitation.text(of: withPitfalls) == pitfalls)
        let others = try text("Pugpig protocol: GET and POST", "Design rules: Downloads resume")
        let withoutPitfalls = "Pugpig protocol: GET and POST; Design rules: Downloads resume; RFC 8996"
        #expect(SourceCitation.text(of: withoutPitfalls) == others)
        let testUsers = "Pugpig test endpoint and test console: Test users"
        let ofTestUsers = try text(testUsers)
        #expect(SourceCitation.text(of: testUsers) == ofTestUsers)
        let states = "Pugpig protocol: Subscription states"
        let ofStates = try text(states)
        #expect(SourceCitation.text(of: "\(states); \(testUsers)") == ofStates)
        #expect(SourceCitation.text(of: "RFC 8996; RFC 9325 section 3.1") == "")
    }

    @Test("exist for every section that a rule names, and for no other")
    func complete() {
        let cited = Set(RuleBook.rules.flatMap { SourceCitation.names(in: $0.source) })
        let known = SourceCitation.all.map(\.name)
        #expect(Set(known) == cited && known.count == cited.count)
        for source in SourceCitation.all {
            #expect(source.text.hasSuffix(".") && source.text.count < 400, "\(source.name)")
        }
    }

    @Test("are public documents or headings of articles in the repository")
    func headings() throws {
        let articles = try CitedArticles()
        for rule in RuleBook.rules {
            for part in rule.source.components(separatedBy: "; ") {
                let isPublic = part.hasPrefix("RFC ") || part == "XML 1.0"
                #expect(isPublic || articles.section(part) != nil, "\(rule.id): \(part)")
            }
        }
    }

    @Test("are in the documentation with the same texts and with links to the articles")
    func article() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Conformance/Conformance.docc/Sources.md").standardizedFileURL,
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| [") }
        let articles = try CitedArticles()
        let expected = try SourceCitation.all.map { source in
            let section = try #require(articles.section(source.name), "\(source.name)")
            return "| [\(source.name)](\(section.link)) | \(source.text) |"
        }
        #expect(rows.map(String.init) == expected, "\(expected.joined(separator: "\n"))")
    }
}
