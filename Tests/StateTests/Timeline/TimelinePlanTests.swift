import Foundation
import GRDB
import Testing

@testable import State

@Suite("Plans of the timeline's statements") struct TimelinePlanTests {
    private static let statements = [
        TimelineStatements.page(isFirst: true), TimelineStatements.page(isFirst: false), TimelineStatements.trim,
        TimelineStatements.prune, TimelineStatements.oldest, TimelineStatements.forgetReaders(2),
        TimelineStatements.findErased(2), TimelineStatements.renewErased(2), TimelineStatements.endErasure(2),
    ]

    @Test("Each statement finds its rows by an index and sorts none", arguments: statements)
    func indexes(_ statement: String) async throws {
        let queue = try DatabaseQueue()
        try StateSchema.migrator.migrate(queue)
        let plan = try await queue.read { db in
            let count = statement.count { $0 == "?" }
            return try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN \(statement)",
                arguments: StatementArguments(Array(repeating: 1, count: count))
            ).map { $0["detail"] as String }
        }
        #expect(!plan.isEmpty)
        for step in plan { #expect(!step.contains("SCAN") && !step.contains("B-TREE"), "\(plan)") }
    }
}
