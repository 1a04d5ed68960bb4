import GRDB
import SQLAccess

/// The connections to a state. After each transaction, and before the pool acknowledges it, the pool records the
/// progress of the state in the generation file.
struct StatePool: Sendable {
    private let guarded: GuardedPool

    init(_ pool: DatabasePool, files: DatabaseFiles, generation: GenerationFile) {
        guarded = GuardedPool(
            pool, files: files,
            didCommit: { db in
                guard let now = try StateGeneration.recorded(db) else { return }
                // A failed write only makes an older copy harder to detect. The revocation itself is durable.
                try? generation.raise(to: now)
            })
    }

    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await guarded.read(body)
    }

    /// Runs the body in a transaction.
    ///
    /// - Throws: `DatabaseFilesChanged` when the written data would not be found again.
    func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await guarded.write(body)
    }

    func writeWithoutTransaction<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await guarded.writeWithoutTransaction(body)
    }

    /// - Throws: `DatabaseFilesChanged` when the database files were replaced or removed.
    func checkFiles() throws { try guarded.checkFiles() }

    /// Writes without changing anything, because only a write shows that the disk has room.
    func probe() async throws { try await guarded.probe() }

    /// Writes all changes into the database file and closes the connections. GRDB closes the writing connection first,
    /// so that SQLite itself would leave the write-ahead log.
    func close() throws {
        let written = Result { try guarded.checkpoint() }
        try guarded.close()
        try written.get()
    }
}
