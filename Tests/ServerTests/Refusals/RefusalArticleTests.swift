import Foundation
import Gatefold
import Testing

@Suite("Article about refusals")
struct RefusalArticleTests {
    private static func article() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Server/Server.docc/Refusals.md").standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test("Its table has each reason once, with a meaning and the remedy of the program, and no other")
    func reasons() throws {
        let table = try Self.article().split(separator: "## Reasons", maxSplits: 1)[1]
        let rows = table.matches(of: /(?m)^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \|$/)
        #expect(rows.map { String($0.1) }.sorted() == RefusalReason.allCases.map(\.rawValue).sorted())
        #expect(rows.allSatisfy { $0.2.count > 10 })
        for row in rows {
            #expect(RefusalReason(rawValue: String(row.1))?.remedy == String(row.3), "\(row.1)")
        }
    }

    @Test("It names each call")
    func calls() throws {
        let article = try Self.article()
        for call in RefusedCall.allCases { #expect(article.contains("`\(call.rawValue)`")) }
    }

    @Test("Reasons and calls are labels of a metric: lower-case words with underscores")
    func codes() {
        for code in RefusalReason.allCases.map(\.rawValue) + RefusedCall.allCases.map(\.rawValue) {
            #expect(code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(code)")
        }
    }
}
