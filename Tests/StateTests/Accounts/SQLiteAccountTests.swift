import Accounts
import Commerce
import Foundation
import GRDB
import Gatefold
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Accounts in the SQLite store", .serialized) struct SQLiteAccountTests {
    @Test("Accounts and numbering survive a restart")
    func durability() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLStateStore(path: path)
                try await store.open(buyer(1))
                try await store.open(buyer(2))
                _ = try await store.eraseAccount(of: buyer(2), in: daily)
                _ = try await store.itemNumbers(of: ["a"], in: daily)
            }
            let store = try SQLStateStore(path: path)
            #expect(try await store.account(of: buyer(1), in: daily)?.number == 1)
            #expect(try await store.open(buyer(3)).number == 3)
            let first = SaleItem.firstAssigned
            #expect(try await store.itemNumbers(of: ["b", "a"], in: daily) == ["a": first, "b": first + 1])
        }
    }

    @Test("Accounts are found by index, however many exist")
    func plans() async throws {
        try await withTemporaryFolder { folder async throws in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            for number: UInt8 in 1...4 { try await store.open(buyer(number)) }
            try await store.claim(.sample(), by: buyer(1))
            try await store.link(buyer(1), to: buyer(2))
            let statements = Locked<Set<String>>([])
            try await store.pool.read { db in
                db.trace { event in
                    guard case .statement(let statement) = event else { return }
                    statements.withLock { _ = $0.insert(statement.expandedSQL) }
                }
            }
            try await store.pool.writeWithoutTransaction { db in
                db.trace { event in
                    guard case .statement(let statement) = event else { return }
                    statements.withLock { _ = $0.insert(statement.expandedSQL) }
                }
            }
            _ = try await store.account(of: buyer(1), in: daily)
            _ = try await store.accounts(of: [buyer(1), buyer(2)], in: daily)
            _ = try await store.accounts(identifiedBy: "ada@example.com", in: daily)
            _ = try await store.accounts(in: daily, after: 1, limit: 2)
            _ = try await store.change(AccountDetails(identifier: "x"), of: buyer(1), in: daily, at: noon)
            _ = try await store.eraseAccount(of: buyer(3), in: daily)
            _ = try await store.eraseAccounts(of: buyer(4))
            _ = try await store.itemNumbers(of: ["a"], in: daily)
            _ = try await store.itemName(numbered: SaleItem.firstAssigned, in: daily)
            _ = try await store.owners(of: "1", in: appStore)
            let all = statements.withLock { $0 }.filter { sql in
                ["SELECT", "WITH", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
            }
            #expect(all.count >= 10)
            for sql in all {
                let steps = try await store.pool.read { db in
                    try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
                }
                // A common table expression holds the result of the previous search. The other tables have one row, or
                // one per table.
                let small: Set = ["SCAN person", "SCAN generation", "SCAN sqlite_sequence"]
                let scans = steps.filter { $0.hasPrefix("SCAN") && !small.contains($0) }
                #expect(scans.isEmpty, "\(sql): \(steps)")
            }
        }
    }

    @Test("An unreadable row throws an error and returns no account")
    func hostileRows() async throws {
        try await withTemporaryFolder { folder async throws in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            try await store.open(buyer(1))
            for assignment in [
                "metadata = '[]'", "metadata = '{\"a\":1}'", "metadata = 'x'", "owner = x'00'", "owner = x''",
                "publication = 'no such/name'",
            ] {
                try await store.pool.write { db in
                    try db.execute(sql: "SAVEPOINT before; UPDATE account SET \(assignment)")
                }
                await #expect(throws: StateStoreError.self, "\(assignment)") {
                    if assignment.hasPrefix("publication") {
                        _ = try await store.database.read { db in
                            try db.rows("SELECT \(AccountRow.columns) FROM account").map(AccountRow.account)
                        }
                    } else {
                        _ = try await store.accounts(in: daily, after: 0, limit: 9)
                    }
                }
                try await store.pool.write { db in
                    try db.execute(
                        sql: "UPDATE account SET metadata = '{}', owner = ?, publication = 'daily'",
                        arguments: [Data(buyer(1).bytes)])
                }
            }
            await #expect(throws: StateStoreError.self) {
                try await store.open(buyer(2), AccountDetails(identifier: "a\u{0}b"))
            }
            await #expect(throws: StateStoreError.self) { try await store.itemNumbers(of: ["a\u{0}"], in: daily) }
        }
    }
}
