import Foundation
import GRDB
import State
import Testing

@Suite("The state of an older release", .serialized) struct MigrationTests {
    @Test("is brought up to date with what it holds")
    func upgrade() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLiteStateStore(path: path)
                try await store.rememberAcquaintance([1], at: noon)
            }
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                for table in [
                    "receipt", "store_transaction", "purchase", "claim", "owner_link", "store_event", "delivery",
                    "push_token", "push_campaign",
                ] {
                    try db.execute(sql: "DROP TABLE \(table)")
                }
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 purchases'")
            }
            try queue.close()
            let store = try SQLiteStateStore(path: path)
            #expect(try await store.isAcquainted([1]))
            try await store.claim(.sample(), by: buyer(1))
            #expect(try await store.ids(of: buyer(1)) == ["1"])
        }
    }
}
