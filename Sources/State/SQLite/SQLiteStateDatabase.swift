import GRDB
import SQLAccess

/// A state in a SQLite file. After each transaction, and before it is acknowledged, the progress of the state is
/// recorded in the generation file.
struct SQLiteStateDatabase: StateDatabase {
    let guarded: GuardedPool
    private let generation: GenerationFile

    init(_ pool: DatabasePool, files: DatabaseFiles, generation: GenerationFile) {
        self.generation = generation
        guarded = GuardedPool(
            pool, files: files,
            didCommit: { db in
                guard let now = try StateGeneration.recorded(db) else { return }
                // A failed write only makes an older copy harder to detect. The revocation itself is durable.
                try? generation.raise(to: now)
            })
    }

    /// Runs the body in a transaction that sees the state as of one moment, including the columns of all tables.
    func read<Value: Sendable>(
        locking tables: [String], _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await guarded.read { try body(SQLiteTransaction($0)) }
    }

    /// Runs the body in a transaction that excludes all other writers from its start, which every isolation allows.
    ///
    /// - Throws: `DatabaseFilesChanged` when the written data would not be found again.
    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await guarded.write { try body(SQLiteTransaction($0)) }
    }

    /// Checks that the files were not replaced or removed, because data read from a deleted file would miss the writes
    /// of other processes. Records the progress of those writes.
    func checkIdentity() async throws {
        try guarded.checkFiles()
        if let now = try await guarded.read(StateGeneration.recorded) { try? generation.raise(to: now) }
    }

    /// Checks that the store can read and write.
    ///
    /// The check writes, because a readable file may be on a full disk or may have been deleted.
    func health() async throws {
        do {
            _ = try await guarded.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM revocation LIMIT 1") }
            try await guarded.probe()
        } catch let error as DatabaseError {
            throw StateStoreError.unavailable(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    func maintain() async throws {}

    /// Writes all changes into the database file and closes the connections. GRDB closes the writing connection first,
    /// so that SQLite itself would leave the write-ahead log.
    func close() throws {
        let written = Result { try guarded.checkpoint() }
        try guarded.close()
        try written.get()
    }
}
