package import GRDB

/// A database whose writes are acknowledged only while its files are those that were opened.
package struct GuardedDatabase<Writer: DatabaseWriter>: Sendable {
    private let writer: Writer
    private let files: DatabaseFiles
    private let didCommit: @Sendable (Database) throws -> Void

    /// - Parameters:
    ///   - files: of this connection, or of another one to the same database that stays open as long.
    ///   - didCommit: called after each transaction, before it is acknowledged.
    package init(
        _ writer: Writer, files: DatabaseFiles, didCommit: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        self.writer = writer
        self.files = files
        self.didCommit = didCommit
    }

    package func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await noting { try await writer.read(body) }
    }

    /// Runs the body in a transaction.
    ///
    /// - Throws: ``DatabaseFilesChanged`` when what was written would not be found again.
    package func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try files.check()
        let value = try await noting {
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
        // The files may have gone while the transaction ran.
        try files.check()
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }

    package func writeWithoutTransaction<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try files.check()
        let value = try await noting { try await writer.writeWithoutTransaction(body) }
        try files.check()
        return value
    }

    private func noting<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            files.note(error)
            throw error
        }
    }

    /// - Throws: ``DatabaseFilesChanged``.
    package func checkFiles() throws(DatabaseFilesChanged) { try files.check() }

    /// Writes a page and brings it to disk, without changing anything: only a write shows that there is room for one.
    package func probe() async throws {
        try await write { db in try db.execute(sql: "PRAGMA user_version = 0") }
    }

    /// Closes all connections; nothing may use them any more.
    package func close() throws { try writer.close() }
}

package typealias GuardedPool = GuardedDatabase<DatabasePool>
package typealias GuardedQueue = GuardedDatabase<DatabaseQueue>
