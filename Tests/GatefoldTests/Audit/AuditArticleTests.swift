import Foundation
import Testing

@testable import Gatefold

@Suite("Article about the audit log") struct AuditArticleTests {
    private func article(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Sources/Server/Server.docc/\(name)"), encoding: .utf8)
    }

    @Test("Lists each action once, and no other")
    func actions() throws {
        let article = try article("AuditLog.md")
        let section = try #require(article.split(separator: "## Actions\n").last?.split(separator: "\n## ").first)
        let codes = section.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `([a-z.-]+)` \|/).map { String($0.1) }
        }
        #expect(codes == AuditAction.allCases.map(\.rawValue).sorted())
    }

    @Test("The article about the timeline lists the actions that it leaves out: those that change nothing")
    func reads() throws {
        let article = try article("Timeline.md")
        let paragraph = try #require(article.firstMatch(of: /Actions of the staff that change nothing(?s:.*?)\. The/)).0
        let codes = paragraph.matches(of: /`([a-z.-]+)`/).map { String($0.1) }
        #expect(codes == AuditAction.reads.map(\.rawValue).sorted())
        let actions = AuditAction.allCases.filter {
            ["show", "list", "search"].contains($0.rawValue.split(separator: ".")[1])
        }
        #expect(AuditAction.reads.isSuperset(of: actions))
    }
}
