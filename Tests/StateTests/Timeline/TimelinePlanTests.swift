import Foundation
import GRDB
import Gatefold
import Testing

@testable import State

@Suite("Plans of the timeline's statements") struct TimelinePlanTests {
    @Test("A page reads only its own entries, and a deletion by age only those that are old")
    func indexes() async throws {
        let queue = try DatabaseQueue()
        try StateSchema.migrator.migrate(queue)
        func plan(_ sql: String) async throws -> String {
            try await queue.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }.joined(
                    separator: "; ")
            }
        }
        let page = try await plan(
            """
            SELECT sequence FROM reader_event WHERE subject = x'01' AND (time, sequence) < (1.0, 1)
            ORDER BY time DESC, sequence DESC LIMIT 50
            """)
        #expect(page.contains("reader_event_subject") && !page.contains("B-TREE"), "\(page)")
        let age = try await plan("SELECT sequence FROM reader_event WHERE time < 1.0 LIMIT 1000")
        #expect(age.contains("reader_event_time"), "\(age)")
        let readers = try await plan("SELECT subject FROM known_reader WHERE seen < 1.0 LIMIT 1000")
        #expect(readers.contains("known_reader_seen"), "\(readers)")
    }
}
