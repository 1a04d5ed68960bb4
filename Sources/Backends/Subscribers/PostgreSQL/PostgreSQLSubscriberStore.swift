import PostgreSQL
import SQLAccess
import State

/// The tables of subscribers in a PostgreSQL schema, which several nodes share.
struct PostgreSQLSubscriberStore: SubscriberStore {
    private let database: any StateDatabase

    /// Opens the schema and migrates its tables. If no server can be reached, the first call that reaches one does so.
    ///
    /// - Throws: ``SubscriberDatabaseError/cannotOpen(path:reason:)`` or
    ///   ``SubscriberDatabaseError/newerSchema(path:reason:)``.
    init(_ settings: PostgreSQLSettings, schema: PostgreSQLSchemaName, library: LibPQ) throws {
        do {
            database = try PostgreSQLTables.open(
                settings, schema: schema, library: library, migrations: PostgreSQLSubscriberSchema.migrations)
        } catch let error as StateStoreError {
            throw SubscriberDatabaseError(error)
        }
    }

    /// Each row takes several statements, and a writer of one of the rows waits at most for its statement timeout.
    var importedTogether: Int { 100 }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await database.read(body)
        } catch let error as StateStoreError {
            throw SubscriberDatabaseError(error)
        }
    }

    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        // The caller does not wait for it. Best effort: if it fails, a later write deletes the old tokens.
        defer { Task { [database] in try? await database.maintain() } }
        do {
            return try await database.write(isolation, body)
        } catch let error as StateStoreError {
            throw SubscriberDatabaseError(error)
        }
    }

    /// The time in milliseconds for which a sign-in may wait for each row that another writer has locked.
    private static let lockTimeout = 20

    func writeWithoutWaiting<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await write(.statements) { db in
            try db.execute("SET LOCAL lock_timeout = \(Self.lockTimeout)")
            return try body(db)
        }
    }

    func lockImports() async throws -> any ImportLock { try await LeasedImportLock(self) }

    func health() async throws {
        _ = try await read { db in try db.row("SELECT 1 FROM subscriber LIMIT 1") }
    }
}

extension SubscriberDatabaseError {
    init(_ error: StateStoreError) {
        self =
            switch error {
            case .cannotOpen(let path, let reason): .cannotOpen(path: path, reason: reason)
            case .newerSchema(let path, let reason): .newerSchema(path: path, reason: reason)
            case .unavailable(let reason), .unreachable(let reason): .unavailable(reason: reason)
            case .unreadableRow, .unstorableText, .noSuchReceipt: .unavailable(reason: "\(error)")
            }
    }
}
