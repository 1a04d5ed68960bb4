import Foundation
import Testing

@testable import Conformance

/// The test users that a check asks for, compared with those that there are.
@Suite("The list of test users")
struct TestUserListTests {
    private static func source(_ path: String) throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/\(path)")
                .standardizedFileURL, encoding: .utf8)
    }

    /// The users of the test backend, by its source: the names that stand there, and those that are put together. Codes are
    /// without number.
    private static func backend() throws -> Set<String> {
        let text = try source("Backends/TestUsers/TestUser.swift")
        let names = text.matches(of: /case (?:"([a-z]+)"|Self\.longJSONName): self = \./).map { match in
            match.1.map { String($0) } ?? "longjson"
        }
        try #require(text.contains("static let longJSONName = \"longjson\""))
        let kinds = try #require(text.components(separatedBy: "enum Activity").first).split(separator: "\n").count {
            $0.hasPrefix("    case ")
        }
        // Besides those with a name of their own there are the ordinary ones and the codes.
        #expect(kinds == names.count + 2, "expected every user by a name, found \(names)")
        let ordinary = try cases(of: "Activity", in: text).flatMap { activity in
            try cases(of: "Holding", in: text).map { activity + $0 }
        }
        return Set(names + ordinary)
    }

    /// Of an enumeration in the source.
    private static func cases(of name: String, in text: String) throws -> [String] {
        let start = try #require(text.firstRange(of: "enum \(name): String"))
        return text[start.upperBound...].prefix { $0 != "}" }.split(separator: "\n").flatMap { line -> [String] in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix("case ") else { return [] }
            return line.dropFirst("case ".count).components(separatedBy: ", ")
        }
    }

    /// Those of whom the guide says that they are not asked for.
    private static func leftOut() throws -> [String] {
        let guide = try source("Conformance/Conformance.docc/Conformance.md")
        let table = try #require(guide.components(separatedBy: "| left out | why |\n").dropFirst().first)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
        return rows.filter { $0.hasPrefix("| `") }.flatMap { row -> [String] in
            let cell = row.dropFirst(2).prefix { $0 != "|" }
            return cell.matches(of: /`([a-z]+)`/).map { String($0.1) }
        }
    }

    @Test("has every user of the test backend but those of whom guide and comment say why not")
    func complete() throws {
        let asked = CheckCases.testUsers.map(\.name).filter { !$0.contains("-") }
        let leftOut = try Self.leftOut()
        let all = asked + leftOut
        #expect(Set(all).count == all.count, "expected each user once")
        #expect(try Set(all) == Self.backend())
        let comment = try Self.source("Conformance/Cases/CheckCases+TestUsers.swift").split(separator: "\n")
            .filter { $0.hasPrefix("    ///") }.joined()
        for name in leftOut { #expect(comment.contains("`\(name)`")) }
    }

    @Test("has a code for each call that can fail, and expects of each what it says")
    func codes() throws {
        let codes = CheckCases.testUsers.filter { $0.name.contains("-") }
        for reader in codes {
            let parts = reader.name.split(separator: "-")
            try #require(parts.count == 3)
            let fails = parts.map { $0 != "200" }
            #expect(reader.failing.contains(.signIn) == fails[0])
            // Without a sign-in nothing else is asked.
            if fails[0] { continue }
            #expect(reader.failing.contains(.verification) == fails[1])
            #expect(reader.failing.contains(.credentials) == fails[2])
        }
        let failing = codes.reduce(into: Set<CheckReader.Failing>()) { $0.formUnion($1.failing) }
        #expect(failing == Set(CheckReader.Failing.allCases))
    }
}
