import Foundation
import State

/// The lock of an import into PostgreSQL: a row that the import renews with each batch.
///
/// A lock of the connection would end with PgBouncer's transactions. An import that was paused for longer than the
/// lifetime cannot write after another one has begun, because each batch checks the row in its own transaction.
struct LeasedImportLock: ImportLock {
    /// The time in seconds after which an import that renewed nothing has lost the lock. It is longer than the
    /// hashing of a batch of passwords takes.
    static let lifetime: Double = 300
    private static let now = "extract(epoch FROM clock_timestamp())::double precision"

    private let store: PostgreSQLSubscriberStore
    private let owner = Data(UUID().uuidString.utf8)

    /// - Throws: ``ImportError/anotherImport`` if another import has the lock.
    init(_ store: PostgreSQLSubscriberStore) async throws {
        self.store = store
        let isTaken = try await store.write { [owner] db in
            try db.execute(
                """
                INSERT INTO import_lock (id, owner, ends) VALUES (1, ?, \(Self.now) + ?)
                ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, ends = excluded.ends
                WHERE import_lock.ends < \(Self.now) OR import_lock.owner = excluded.owner
                """, [owner, Self.lifetime]) == 1
        }
        guard isTaken else { throw ImportError.anotherImport }
    }

    func check(_ db: any StateTransaction) throws {
        let renewed = try db.execute(
            "UPDATE import_lock SET ends = \(Self.now) + ? WHERE owner = ?", [Self.lifetime, owner])
        guard renewed == 1 else { throw ImportError.anotherImport }
    }

    func release() async {
        _ = try? await store.write { [owner] db in
            try db.execute("DELETE FROM import_lock WHERE owner = ?", [owner])
        }
    }
}
