import Foundation
import Gatefold
import PostgreSQL
import SQLAccess

/// A state in a PostgreSQL database that several nodes share.
///
/// Every call is one transaction with settings of its own, so that it also works behind PgBouncer in transaction mode.
struct PostgreSQLStateDatabase: StateDatabase {
    private let pool: ConnectionPool<PostgreSQLConnection>
    private let begin: PostgreSQLTransactionStart
    private let clock: DatabaseClock
    private let limits: PostgreSQLConnection.Limits
    /// The time limit for the repetitions of one write.
    private let retryTimeout = Duration.seconds(10)

    init(_ settings: PostgreSQLSettings, schema: PostgreSQLSchemaName, library: LibPQ, clock: DatabaseClock) {
        let server = settings.server
        let canceller = Canceller()
        pool = ConnectionPool(
            size: settings.poolSize, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isConnectionLoss: { ($0 as? PostgreSQLError)?.isConnectionLoss ?? false })
        limits = PostgreSQLConnection.Limits(rows: .max, bytes: 1 << 30, time: settings.responseTimeout)
        begin = PostgreSQLTransactionStart(schema: schema, timeout: settings.responseTimeout)
        self.clock = clock
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await use { connection in
            _ = try start(begin.read, on: connection)
            return try complete(connection) {
                let value = try body(PostgreSQLTransaction(connection: connection, limits: limits))
                _ = try connection.change("COMMIT", [], limits)
                return value
            }
        }
    }

    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + retryTimeout
        var pause = Duration.milliseconds(2)
        while true {
            do {
                switch try await use({ connection in try attempt(isolation, body, on: connection) }) {
                case .committed(let value): return value
                case .unknown(let value, let transaction):
                    if try await isCommitted(transaction, until: deadline) { return value }
                }
            } catch let error as PostgreSQLError where error.isConflict && ContinuousClock.now < deadline {
                // Another transaction changed the same rows, so that the two have no order. A new attempt sees them.
            }
            try await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    func checkIdentity() async throws {}

    func health() async throws {
        try await write(.statements) { db in
            // The row is locked and unchanged. A server in recovery or with a full disk refuses even that.
            _ = try db.row("SELECT 1 FROM generation FOR UPDATE")
        }
    }

    func close() throws {}

    // MARK: Attempts

    private enum Attempt<Value: Sendable>: Sendable {
        case committed(Value)
        /// The connection was lost before the response to the commit.
        case unknown(Value, PostgreSQLTransactionStart.Transaction)
    }

    private func attempt<Value>(
        _ isolation: StateIsolation, _ body: (any StateTransaction) throws -> Value, on connection: PostgreSQLConnection
    ) throws -> Attempt<Value> {
        let transaction = try start(begin.write(isolation), on: connection)
        let value = try complete(connection) {
            try body(PostgreSQLTransaction(connection: connection, limits: limits))
        }
        do {
            _ = try connection.change("COMMIT", [], limits)
            return .committed(value)
        } catch {
            guard error.isCommitUnknown else { throw error }
            return .unknown(value, transaction)
        }
    }

    /// Starts a transaction. Records the server's time if the transaction may write.
    private func start(
        _ script: String, on connection: PostgreSQLConnection
    ) throws -> PostgreSQLTransactionStart.Transaction {
        let sent = clock.elapsed
        let result = try connection.script(script, limits)
        guard let transaction = PostgreSQLTransactionStart.Transaction(result) else {
            throw PostgreSQLError.unexpectedResponse
        }
        clock.record(transaction.timestamp, sent: sent, received: clock.elapsed)
        return transaction
    }

    /// Runs the body and rolls back when it fails, so that the connection can be used again.
    private func complete<Value>(_ connection: PostgreSQLConnection, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            if connection.isInTransaction { _ = try? connection.change("ROLLBACK", [], limits) }
            throw error
        }
    }

    /// Returns whether a transaction whose commit got no response has committed. If that cannot be known, because the
    /// server has another history now, the write is made again: every write of the state has the same effect when it is
    /// made twice.
    ///
    /// Source: Pitfall 30, “Commit outcome unknown”.
    private func isCommitted(
        _ transaction: PostgreSQLTransactionStart.Transaction, until deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        while true {
            do {
                let status = try await use { connection in
                    try connection.query(
                        """
                        SELECT CASE left(pg_walfile_name(pg_current_wal_lsn()), 8) WHEN $1
                            THEN pg_xact_status($2::text::xid8) ELSE 'aborted' END
                        """, [transaction.timeline, String(transaction.id)], limits
                    ).rows.first?.first
                }
                switch status {
                case "committed": return true
                case "in progress": break
                default: return false
                }
            } catch let error where ContinuousClock.now >= deadline {
                throw error
            } catch is StateStoreError {
                // The server cannot be reached yet.
            }
            guard ContinuousClock.now < deadline else {
                throw StateStoreError.unavailable(reason: "PostgreSQL did not say whether a change was made")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Runs the work with a connection.
    ///
    /// - Throws: ``StateStoreError/unavailable(reason:)`` for an error of PostgreSQL other than a conflict.
    private func use<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.use(work)
        } catch let error as PostgreSQLError where !error.isConflict {
            if error == .interrupted { throw CancellationError() }
            throw StateStoreError.unavailable(reason: PostgreSQLFailure(error: error).cause)
        }
    }
}

extension PostgreSQLError {
    /// A Boolean value that indicates whether the transaction must be made again: serialization_failure,
    /// deadlock_detected, or unique_violation, which a concurrent insertion causes (PostgreSQL manual, 13.5).
    fileprivate var isConflict: Bool { ["40001", "40P01", "23505"].contains { self == .serverError(sqlState: $0) } }

    /// A Boolean value that indicates whether a commit with this error may have been made.
    fileprivate var isCommitUnknown: Bool {
        switch self {
        case .serverError(let state): isConnectionLoss || state == "40003"
        case .lost, .timedOut, .interrupted, .unexpectedResponse: true
        default: false
        }
    }
}
