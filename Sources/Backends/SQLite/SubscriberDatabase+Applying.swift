import GRDB
import SQLAccess

extension SubscriberDatabase {
    /// The maximum number of rows that an import writes in one transaction. The limit bounds the time that other
    /// writers wait.
    static let importBatch = 1_000

    /// Reads data about a subscriber. If an active import concerns the subscriber, the row is applied first.
    ///
    /// - Parameter identifier: The folded identifier.
    func read<Value: Sendable>(
        about identifier: String, _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let value = try await pool.read { db -> Value? in
            try ActiveImport.hasPendingRow(identifier, db) ? nil : try body(db)
        }
        if let value { return value }
        try await pool.write { db in try ActiveImport.settle(identifier, db) }
        return try await pool.read(body)
    }

    /// Reads data about a subscriber by its number. If an active import concerns the subscriber, the row is applied
    /// first.
    func read<Value: Sendable>(
        aboutID id: Int64, _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let (value, identifier) = try await pool.read { db -> (Value?, String?) in
            guard try ActiveImport.current(db) != nil,
                let identifier = try String.fetchOne(
                    db, sql: "SELECT identifier FROM subscriber WHERE id = ?", arguments: [id]),
                try ActiveImport.hasPendingRow(identifier, db)
            else { return (try body(db), nil) }
            return (nil, identifier)
        }
        if let value { return value }
        if let identifier { try await pool.write { db in try ActiveImport.settle(identifier, db) } }
        return try await pool.read(body)
    }

    /// Applies the rows of an active import, one batch at a time.
    ///
    /// - Parameter step: Called between the batches.
    func applyImport(_ step: () throws -> Void = {}) async throws {
        guard try await pool.read(ActiveImport.current) != nil else { return }
        var hasMore = true
        while hasMore {
            let clock = ContinuousClock()
            let start = clock.now
            hasMore = try await pool.write { db in
                try ActiveImport.current(db)?.advance(Self.importBatch, db) ?? false
            }
            try step()
            // Waiting writers poll for the lock, so it stays free for as long as the batch took, at most 100 ms.
            if hasMore { try await Task.sleep(for: min(clock.now - start, .milliseconds(100))) }
        }
    }

    /// Deletes imports that never became active and cannot be resumed, with their staged rows.
    func discardAbandonedImports() async throws {
        // Includes an import that was applied completely but not deleted.
        try await pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM import WHERE fingerprint IS NULL
                        AND (applied IS NULL
                            OR NOT EXISTS (SELECT 1 FROM staged WHERE staged.import = import.id)
                                AND json_extract(applied, '$.removed') >= json_extract(applied, '$.last'))
                    """)
        }
        var hasMore = true
        while hasMore {
            hasMore = try await pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM staged WHERE sequence IN (
                            SELECT sequence FROM staged WHERE import NOT IN (SELECT id FROM import) LIMIT ?)
                        """,
                    arguments: [Self.importBatch])
                return db.changesCount > 0
            }
        }
    }
}
