package import GRDB

/// A database that acknowledges writes only while its files are the ones that were opened.
package struct GuardedDatabase<Writer: DatabaseWriter>: Sendable {
    private let writer: Writer
    private let files: DatabaseFiles
    private let didCommit: @Sendable (Database) throws -> Void

    /// Creates a guarded database.
    ///
    /// - Parameters:
    ///   - files: The files of this connection, or of another connection to the same database that stays open
    ///     equally long.
    ///   - didCommit: Called after each transaction, before it is acknowledged.
    package init(
        _ writer: Writer, files: DatabaseFiles, didCommit: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        self.writer = writer
        self.files = files
        self.didCommit = didCommit
    }

    package func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await recordingErrors { try await writer.read(body) }
    }

    /// Runs the body in a transaction.
    ///
    /// - Throws: ``DatabaseFilesChanged`` if the written data would be lost.
    package func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try files.check()
        let value = try await recordingErrors {
            try await writer.writeWithoutTransaction { db in
                var value: Value?
                try db.inTransaction {
                    value = try body(db)
                    return .commit
                }
                try didCommit(db)
                return value
            }
        }
        // The files may have been deleted or replaced while the transaction ran.
        try files.check()
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }

    package func writeWithoutTransaction<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try files.check()
        let value = try await recordingErrors { try await writer.writeWithoutTransaction(body) }
        try files.check()
        return value
    }

    private func recordingErrors<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            files.record(error)
            throw error
        }
    }

    /// Checks the files of the database.
    ///
    /// - Throws: ``DatabaseFilesChanged``.
    package func checkFiles() throws(DatabaseFilesChanged) { try files.check() }

    /// Writes a page to disk without changing anything, because only a write proves that there is space.
    package func probe() async throws {
        try await write { db in try db.execute(sql: "PRAGMA user_version = 0") }
    }

    /// Closes all connections. They must not be used afterwards.
    package func close() throws { try writer.close() }

    /// Writes the changes of the write-ahead log into the database file.
    package func checkpoint() throws {
        _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
}

package typealias GuardedPool = GuardedDatabase<DatabasePool>
package typealias GuardedQueue = GuardedDatabase<DatabaseQueue>
