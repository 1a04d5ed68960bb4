import Foundation
import Testing

@testable import Conformance

/// Compares the test users of a check with the users that exist.
@Suite("List of test users")
struct TestUserListTests {
    private static func source(_ path: String) throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/\(path)")
                .standardizedFileURL, encoding: .utf8)
    }

    /// Returns the users of the test backend according to its source: literal and composed names. Codes are excluded,
    /// because their number is unlimited.
    private static func backend() throws -> Set<String> {
        let text = try source("Backends/TestUsers/TestUser.swift")
        let names = text.matches(of: /case (?:"([a-z]+)"|Self\.longJSONName): self = \./).map { match in
            match.1.map { String($0) } ?? "longjson"
        }
        try #require(text.contains("static let longJSONName = \"longjson\""))
        let kinds = try #require(text.components(separatedBy: "enum Activity").first).split(separator: "\n").count {
            $0.hasPrefix("    case ")
        }
        // Users without a name of their own are the ordinary ones and the codes.
        #expect(kinds == names.count + 2, "expected every user by a name, found \(names)")
        let ordinary = try cases(of: "Activity", in: text).flatMap { activity in
            try cases(of: "Holding", in: text).map { activity + $0 }
        }
        return Set(names + ordinary)
    }

    /// Returns the cases of an enumeration in the source.
    private static func cases(of name: String, in text: String) throws -> [String] {
        let start = try #require(text.firstRange(of: "enum \(name): String"))
        return text[start.upperBound...].prefix { $0 != "}" }.split(separator: "\n").flatMap { line -> [String] in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix("case ") else { return [] }
            return line.dropFirst("case ".count).components(separatedBy: ", ")
        }
    }

    /// Returns the users that the guide excludes.
    private static func leftOut() throws -> [String] {
        let guide = try source("Conformance/Conformance.docc/Conformance.md")
        let table = try #require(guide.components(separatedBy: "| left out | why |\n").dropFirst().first)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
        return rows.filter { $0.hasPrefix("| `") }.flatMap { row -> [String] in
            let cell = row.dropFirst(2).prefix { $0 != "|" }
            return cell.matches(of: /`([a-z]+)`/).map { String($0.1) }
        }
    }

    @Test("holds every user of the test backend except those whose exclusion is documented")
    func complete() throws {
        let requested = CheckCases.testUsers.map(\.name).filter { !$0.contains("-") }
        let leftOut = try Self.leftOut()
        let all = requested + leftOut
        #expect(Set(all).count == all.count, "expected each user once")
        #expect(try Set(all) == Self.backend())
        let comment = try Self.source("Conformance/Cases/CheckCases+TestUsers.swift").split(separator: "\n")
            .filter { $0.hasPrefix("    ///") }.joined()
        for name in leftOut { #expect(comment.contains("`\(name)`")) }
    }

    @Test("holds a code for each call that can fail, with matching expectations")
    func codes() throws {
        let codes = CheckCases.testUsers.filter { $0.name.contains("-") }
        for reader in codes {
            let parts = reader.name.split(separator: "-")
            try #require(parts.count == 3)
            let fails = parts.map { $0 != "200" }
            #expect(reader.failing.contains(.signIn) == fails[0])
            // Without a sign-in no other call is made.
            if fails[0] { continue }
            #expect(reader.failing.contains(.verification) == fails[1])
            #expect(reader.failing.contains(.credentials) == fails[2])
        }
        let failing = codes.reduce(into: Set<CheckReader.FailingCall>()) { $0.formUnion($1.failing) }
        #expect(failing == Set(CheckReader.FailingCall.allCases))
    }
}
