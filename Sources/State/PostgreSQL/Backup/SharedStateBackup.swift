import GRDB

/// A backup of a state that several nodes share: a file as that of an embedded state, so that each kind of state can be
/// restored from it.
package enum SharedStateBackup {
    /// Copies one snapshot of a state into a new file that only its owner may read, and verifies the copy.
    ///
    /// All rows are read in one transaction. The nodes may continue to write, and wait for nothing. A migration waits for the
    /// end of the backup.
    ///
    /// - Throws: ``StateBackupError``, ``StateCopyError``, `NewerSchema` if a newer release has migrated the state, or
    ///   ``StateStoreError``. There is no file then.
    package static func make(
        of store: SQLStateStore, to path: String, didProgress: @escaping @Sendable (StateCopy.Progress) -> Void
    ) async throws -> StateBackup {
        let file = try BackupFile(path)
        defer { file.close() }
        do {
            let queue = try DatabaseQueue(path: file.part)
            // Until it is complete, the file has no other use than to be deleted.
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = OFF")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = MEMORY")
            }
            try StateSchema.migrator.migrate(queue)
            let tables = StateTable.all.map(\.name) + ["generation", "lease", "migration"]
            try await store.database.read(locking: tables) { source in
                try queue.write { db in
                    let target = SQLiteTransaction(db)
                    try StateTransfer(source: source, target: target, didProgress: didProgress).run()
                    try complete(source, target)
                }
            }
            try queue.close()
            return try file.complete()
        } catch let error as DatabaseError {
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// Copies the history and the last assigned numbers, which have no rows of their own.
    private static func complete(_ source: any StateTransaction, _ target: SQLiteTransaction) throws {
        for table in StateTable.all {
            guard let column = table.numbered else { continue }
            try target.setLastNumber(try source.lastNumber(in: table.name, column), in: table.name, column)
        }
        guard let row = try source.row("SELECT id, session_floor FROM generation") else {
            throw StateStoreError.unreadableRow(table: "generation")
        }
        try target.execute("INSERT INTO generation (id, session_floor) VALUES (?, ?)", row.values as StateArguments)
    }
}
