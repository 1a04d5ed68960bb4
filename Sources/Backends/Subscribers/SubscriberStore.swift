import State

/// A database with the tables of subscribers: a SQLite file, or a PostgreSQL schema that several nodes share.
///
/// The statements are those that both databases have in common, see `StateTransaction`.
protocol SubscriberStore: Sendable {
    /// The maximum number of subscribers that an import writes in one transaction. It bounds the time for which other
    /// writers of these subscribers wait.
    var importedTogether: Int { get }

    /// Runs the body in a transaction that sees the database as of one moment.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any StateTransaction) throws -> Value) async throws -> Value

    /// Runs the body in a transaction. When the call returns, the changes are durable.
    ///
    /// PostgreSQL may run the body several times, so the body has no effects outside the transaction.
    @discardableResult
    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value

    /// Runs the body in a transaction. Throws an error instead of waiting if another writer has locked the database.
    @discardableResult
    func writeWithoutWaiting<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value

    /// Excludes other imports until the lock is released.
    ///
    /// - Throws: ``ImportError/anotherImport`` if another import is running,
    ///   ``ImportError/cannotLock(path:reason:)`` if the lock cannot be made.
    func lockImports() async throws -> any ImportLock

    /// Checks the database. Throws an error if it is unavailable.
    func health() async throws
}

extension SubscriberStore {
    /// Runs the body in a transaction whose statements see what was committed before each of them.
    ///
    /// The body locks the rows that it reads before it changes them. In PostgreSQL, two writers of different subscribers
    /// then never conflict.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await write(.statements, body)
    }
}

/// A lock that permits one import at a time into a database. A second import would delete the staged rows of the
/// first as leftovers.
protocol ImportLock: Sendable {
    /// Checks in the caller's transaction that this import still has the lock.
    ///
    /// - Throws: ``ImportError/anotherImport`` if another import has taken the lock.
    func check(_ db: any StateTransaction) throws

    func release() async
}
