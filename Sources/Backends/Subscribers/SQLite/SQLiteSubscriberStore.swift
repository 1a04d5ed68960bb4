import GRDB
import SQLAccess
import State

/// The tables of subscribers in one SQLite file.
///
/// Several processes may open it, such as a running server and the command line.
struct SQLiteSubscriberStore: SubscriberStore {
    let path: String
    let pool: GuardedPool
    /// The connection that stores better password hashes. It never waits for another writer, so that sign-ins are
    /// not delayed.
    private let rehashQueue: GuardedQueue

    /// Opens the file and migrates its tables. Creates a file that only its owner can read if none exists.
    ///
    /// - Parameter prepare: Called with every new connection, for tracing.
    /// - Throws: ``SubscriberDatabaseError/cannotOpen(path:reason:)`` or
    ///   ``SubscriberDatabaseError/newerSchema(path:reason:)``.
    init(path: String, prepare: @escaping @Sendable (Database) throws -> Void) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.foreignKeysEnabled = true
            configuration.prepareDatabase(prepare)
            PrivateFile.createIfMissing(path)
            let opened = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL with WAL. FULL prevents a power failure from losing acknowledged changes. The
            // journal limit (64 MiB) releases the disk space of a large import.
            try opened.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
            }
            try opened.read(SubscriberSchema.migrator.rejectNewer)
            try SubscriberSchema.migrator.migrate(opened)
            configuration.busyMode = .immediateError
            configuration.journalMode = .default
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let files = try opened.writeWithoutTransaction { try DatabaseFiles(of: $0, path: path) }
            pool = GuardedPool(opened, files: files)
            rehashQueue = GuardedQueue(queue, files: files)
        } catch let error as NewerSchema {
            throw SubscriberDatabaseError.newerSchema(path: path, reason: error.description)
        } catch {
            throw SubscriberDatabaseError.cannotOpen(
                path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.path = path
    }

    var importedTogether: Int { SubscriberDatabase.importBatch }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.read { try body(SQLiteTransaction($0)) }
    }

    /// Runs the body in a transaction that excludes all other writers from its start, which every isolation allows.
    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.write { try body(SQLiteTransaction($0)) }
    }

    func writeWithoutWaiting<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await rehashQueue.write { try body(SQLiteTransaction($0)) }
    }

    func lockImports() async throws -> any ImportLock {
        let lock = try FileImportLock(database: path)
        // The import writes all over the index of identifiers. A cache of 64 MiB holds most of it in memory.
        try await setCache(kibibytes: 65_536)
        return SQLiteImportLock(file: lock, store: self)
    }

    func health() async throws {
        try pool.checkFiles()
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM subscriber LIMIT 1") }
    }

    fileprivate func setCache(kibibytes: Int) async throws {
        try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -\(kibibytes)") }
    }
}

/// The lock of an import into a SQLite file.
private struct SQLiteImportLock: ImportLock {
    let file: FileImportLock
    let store: SQLiteSubscriberStore

    /// The lock ends with its process only, so that no other import can have taken it.
    func check(_ db: any StateTransaction) throws {}

    func release() async {
        try? await store.setCache(kibibytes: 2_000)
        file.release()
    }
}
