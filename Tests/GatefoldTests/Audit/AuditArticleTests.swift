import Foundation
import Testing

@testable import Gatefold

@Suite("Article about the audit log") struct AuditArticleTests {
    @Test("Lists each action once, and no other")
    func actions() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Sources/Server/Server.docc/AuditLog.md"), encoding: .utf8)
        let section = try #require(article.split(separator: "## Actions\n").last?.split(separator: "\n## ").first)
        let codes = section.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `([a-z.-]+)` \|/).map { String($0.1) }
        }
        #expect(codes == AuditAction.allCases.map(\.rawValue).sorted())
    }
}
