import Foundation
import TestSupport
import Testing

/// Tests the script that finds retired names, in a small tree.
@Suite("Script retired-names")
struct RetiredNamesTests {
    private static let script = MarkdownDocument.repository.appending(path: "deploy/lib/retired-names").path

    private func check(_ source: String, at path: String = "Sources/Module/File.swift") async throws -> CommandRun {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(source.utf8).write(to: file)
            return try await CommandRun.of(Self.script, ["--no-exceptions"], in: folder)
        }
    }

    @Test(
        "Finds each kind of declaration",
        arguments: [
            ("struct LastAnswer {}", "LastAnswer"), ("func tell() {}", "tell"), ("let kept = 1", "kept"),
            ("func a(_ question: Int) {}", "question"), ("func a(asker who: Int) {}", "who"),
            ("enum A { case one, kept\n }", "kept"), ("enum A { case one(guess: Int)\n }", "guess"),
            ("for waiter in all {}", "waiter"), ("all.map { waiter in 1 }", "waiter"),
            ("let (kept, b) = a", "kept"), ("func a() -> (b: Int, moment: Int) { b }", "moment"),
            ("protocol A { associatedtype Answer }", "Answer"), ("init(patience: Int) {}", "patience"),
            ("guard let answer = a else { return }", "answer"), ("let a = \"\\(\"(\")\"; let answer = 1", "answer"),
        ])
    func declarations(source: String, name: String) async throws {
        let run = try await check(source)
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.hasPrefix("Sources/Module/File.swift:1: \(name): ") }, "\(run.output)")
    }

    @Test(
        "Accepts other names, and the words in comments, strings and calls",
        arguments: [
            "let answerer2 = 1 // let answer", "/* let answer /* let kept */ let kept */ let a = 1",
            "let a = \"let answer = 1\"", "let a = #\"let \"answer\" = 1\"#",
            "let a = \"\"\"\n let answer = 1\n \"\"\"",
            "a.answer()", "var inFlight = 1", "let questionMark = 1", "let words = 1", "typealias Clause = Int",
        ])
    func accepted(source: String) async throws {
        let run = try await check(source)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test(
        "Finds files and folders, also in names with hyphens",
        arguments: ["Answers/A.swift", "stand-in/A.swift", "TestLetter.swift"])
    func paths(path: String) async throws {
        let run = try await check("", at: "Tests/\(path)")
        #expect(run.status == 1)
        #expect(run.lines.count == 1 && run.output.hasPrefix("Tests/"), "\(run.output)")
    }

    @Test("Finds nothing in the repository")
    func repository() async throws {
        let run = try await CommandRun.of(Self.script, [], in: MarkdownDocument.repository)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
}
