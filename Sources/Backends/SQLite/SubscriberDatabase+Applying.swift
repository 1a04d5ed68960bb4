import GRDB
import SQLAccess

extension SubscriberDatabase {
    /// So many rows are written in one transaction of an import: no other writer waits for more.
    static let importBatch = 1_000

    /// Reads about a subscriber, after an import that is in force has had its word on them.
    ///
    /// - Parameter identifier: folded.
    func read<Value: Sendable>(
        about identifier: String, _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let value = try await pool.read { db -> Value? in
            try AppliedImport.concerns(identifier, db) ? nil : try body(db)
        }
        if let value { return value }
        try await pool.write { db in try AppliedImport.settle(identifier, db) }
        return try await pool.read(body)
    }

    /// The same for a subscriber's number.
    func read<Value: Sendable>(
        aboutID id: Int64, _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let (value, identifier) = try await pool.read { db -> (Value?, String?) in
            guard try AppliedImport.current(db) != nil,
                let identifier = try String.fetchOne(
                    db, sql: "SELECT identifier FROM subscriber WHERE id = ?", arguments: [id]),
                try AppliedImport.concerns(identifier, db)
            else { return (try body(db), nil) }
            return (nil, identifier)
        }
        if let value { return value }
        if let identifier { try await pool.write { db in try AppliedImport.settle(identifier, db) } }
        return try await pool.read(body)
    }

    /// Brings the rows of an import that is in force to where they are read, a batch at a time.
    ///
    /// - Parameter step: called between the batches.
    func applyImport(_ step: () throws -> Void = {}) async throws {
        guard try await pool.read(AppliedImport.current) != nil else { return }
        var isMore = true
        while isMore {
            let clock = ContinuousClock()
            let start = clock.now
            isMore = try await pool.write { db in
                try AppliedImport.current(db)?.advance(Self.importBatch, db) ?? false
            }
            try step()
            // Whoever waits for the lock looks for it now and then: it is free for half of the time.
            if isMore { try await Task.sleep(for: min(clock.now - start, .milliseconds(100))) }
        }
    }

    /// Forgets imports that never came into force, and can not be resumed, with what they staged.
    func discardLeftImports() async throws {
        // One that was brought over as a whole, but not forgotten.
        try await pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM import WHERE fingerprint IS NULL
                        AND (applied IS NULL
                            OR NOT EXISTS (SELECT 1 FROM staged WHERE staged.import = import.id)
                                AND json_extract(applied, '$.removed') >= json_extract(applied, '$.last'))
                    """)
        }
        var isMore = true
        while isMore {
            isMore = try await pool.write { db in
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
