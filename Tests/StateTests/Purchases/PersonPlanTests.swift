import Commerce
import Foundation
import GRDB
import Gatefold
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Purchases of one person", .serialized) struct PersonPlanTests {
    private func reverifications(_ store: SQLStateStore, of owner: PurchaseOwner, limit: Int = 9) async throws
        -> [String]
    {
        var all: [String] = []
        for selection: ReverificationSelection in [
            .ending(Period(start: noon - 86_400, end: noon + 99 * 86_400)), .bought(since: noon - 86_400),
        ] {
            all += try await store.reverifications(
                selection, of: owner, in: [appStore, play], environments: [.production, .sandbox],
                verifiedBefore: noon + 60, at: noon + 60, limit: limit
            ).map(\.transaction.id)
        }
        return all
    }

    @Test("Purchases are found by index, however many others exist")
    func plans() async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            for number: UInt8 in 1...4 {
                try await store.claim(.sample("\(number)"), by: buyer(number), receipt: "\(number)")
            }
            let statements = Locked<Set<String>>([])
            // Trace only this connection, which serves all reads in sequence.
            try await store.pool.read { db in
                db.trace { event in
                    guard case .statement(let statement) = event, statement.sql.hasPrefix("SELECT") else { return }
                    statements.withLock { _ = $0.insert(statement.expandedSQL) }
                }
            }
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            #expect(try await reverifications(store, of: buyer(1)) == ["1"])
            let all = statements.withLock { $0 }
            #expect(all.contains { $0.contains("CROSS JOIN store_transaction") })
            #expect(all.count { $0.contains("CROSS JOIN purchase") } == 2)
            for sql in all {
                let steps = try await store.pool.read { db in
                    try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
                }
                // The constant row is the person itself.
                let scans = steps.filter { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" }
                #expect(scans.isEmpty, "\(sql): \(steps)")
                #expect(steps.allSatisfy { !$0.contains("(store=?)") && !$0.contains("ends>?") }, "\(sql): \(steps)")
            }
        }
    }

    @Test("Each purchase is listed once, whichever owner of the person claimed it")
    func once() async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            let ended = StoreTransaction.sample("old", purchased: noon - 60, expires: noon + 30)
            for number: UInt8 in 1...2 {
                try await store.claim(
                    ended, .sample("single"), .sample("other", in: play), by: buyer(number), receipt: "\(number)")
            }
            try await store.link(buyer(1), to: buyer(2))
            for number: UInt8 in 1...2 {
                #expect(try await store.ids(of: buyer(number)) == ["old", "single", "other"])
                #expect(try await reverifications(store, of: buyer(number)) == ["old", "single", "other"])
                #expect(try await reverifications(store, of: buyer(number), limit: 1) == ["old", "single"])
                #expect(try await store.transactions(of: buyer(number), in: [play]).map(\.id) == ["other"])
            }
            #expect(try await reverifications(store, of: buyer(3)).isEmpty)
        }
    }
}
