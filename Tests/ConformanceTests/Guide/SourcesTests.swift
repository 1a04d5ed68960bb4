import Foundation
import Testing

@testable import Conformance

@Suite("What the sources of the rules say")
struct SourcesTests {
    @Test("is read out of a rule's source")
    func names() {
        let names = [
            "PROTOCOLS 1.2; PITFALLS 16; RFC 9111 section 5.1": ["PROTOCOLS 1.2", "PITFALLS 16"],
            "PROTOCOLS 1.2, 6A row 3": ["PROTOCOLS 1.2", "PROTOCOLS 6A row 3"],
            "PROTOCOLS 1.2: the client reads /a/@b; 6A row 7": ["PROTOCOLS 1.2", "PROTOCOLS 6A row 7"],
            "PITFALLS, runners-up: certificate checks off": ["PITFALLS runners-up"],
            "DESIGN “The gate”; RFC 9110 section 14.2": ["DESIGN “The gate”"], "RFC 8996": [],
        ]
        for (source, expected) in names { #expect(CitedSource.names(in: source) == expected) }
    }

    @Test("is put together for a rule: what becomes of it, and else what was asked, in the order of its sources")
    func words() throws {
        func said(_ names: String...) throws -> String {
            try names.map { name in try #require(CitedSource.all.first { $0.name == name }).words }
                .joined(separator: " ")
        }
        let pitfalls = try said("PITFALLS 16", "PITFALLS 2")
        #expect(CitedSource.words(of: "PROTOCOLS 1.2: a; PITFALLS 16, 2; RFC 9111") == pitfalls)
        let others = try said("PROTOCOLS 1.2", "PROTOCOLS 1.1", "DESIGN rule 4")
        #expect(CitedSource.words(of: "PROTOCOLS 1.2, 1.1; DESIGN rule 4") == others)
        #expect(CitedSource.words(of: "RFC 8996; RFC 9325 section 3.1") == "")
    }

    @Test("is there for every section that a rule names, and for no other")
    func complete() {
        let named = Set(RuleBook.rules.flatMap { CitedSource.names(in: $0.source) })
        let told = CitedSource.all.map(\.name)
        #expect(Set(told) == named && told.count == named.count)
        for source in CitedSource.all {
            #expect(source.words.hasSuffix(".") && source.words.count < 400, "\(source.name)")
        }
    }

    @Test("stands in the documentation with the same words")
    func article() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Conformance/Conformance.docc/Sources.md").standardizedFileURL,
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { row in
            ["PROTOCOLS", "PITFALLS", "DESIGN"].contains { row.hasPrefix("| \($0) ") }
        }
        let expected = CitedSource.all.map { "| \($0.name) | \($0.words) |" }
        #expect(rows.map(String.init) == expected, "\(expected.joined(separator: "\n"))")
    }
}
