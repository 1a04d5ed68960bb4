import Foundation
import Gatefold
import PostgreSQL
import Primitives
import SQLAccess
import Synchronization

/// A state in a PostgreSQL database that several nodes share.
///
/// Every call is one transaction with settings of its own, so that it also works behind PgBouncer in transaction mode.
final class PostgreSQLStateDatabase: StateDatabase {
    private let sessions: any PostgreSQLSessions
    private let schema: PostgreSQLSchemaName
    private let begin: PostgreSQLTransactionStart
    private let clock: DatabaseClock
    private let preparation: PostgreSQLPreparation
    private let limits: PostgreSQLConnection.Limits
    private let sleep: Sleep
    private let random: RandomSource
    private let outage = PostgreSQLOutage()
    /// The monotonic time of the last deletion of tokens.
    private let pruned = Mutex<TimeInterval?>(nil)

    /// The maximum number of calls that wait for a connection.
    private static let maxWaiting = 1_000
    /// The time limit in seconds for the repetitions of one write.
    private static let retryTimeout: TimeInterval = 10
    private static let pruningInterval: TimeInterval = 10

    /// - Parameters:
    ///   - sessions: The connections of this node.
    ///   - statementTimeout: The time limit that the server has for a statement.
    ///   - responseTimeout: The time limit for the result of a statement.
    ///   - clock: The clock of the database server.
    ///   - sleep: Waits between two attempts.
    ///   - random: The source of tokens and of the variation of waits.
    init(
        _ sessions: any PostgreSQLSessions, schema: PostgreSQLSchemaName, statementTimeout: Duration,
        responseTimeout: Duration, clock: DatabaseClock, preparation: PostgreSQLPreparation,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }, random: RandomSource = .system
    ) {
        self.sessions = sessions
        limits = PostgreSQLConnection.Limits(rows: .max, bytes: 1 << 30, time: responseTimeout)
        begin = PostgreSQLTransactionStart(schema: schema, timeout: statementTimeout)
        self.schema = schema
        self.clock = clock
        self.preparation = preparation
        self.sleep = sleep
        self.random = random
    }

    convenience init(
        _ settings: PostgreSQLSettings, schema: PostgreSQLSchemaName, library: LibPQ, clock: DatabaseClock,
        preparation: PostgreSQLPreparation
    ) {
        let server = settings.server
        let canceller = Canceller()
        let pool = ConnectionPool(
            size: settings.poolSize, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isConnectionLoss: { ($0 as? PostgreSQLError)?.isConnectionLoss ?? false })
        self.init(
            pool, schema: schema, statementTimeout: settings.statementTimeout,
            responseTimeout: settings.responseTimeout, clock: clock, preparation: preparation)
    }

    func read<Value: Sendable>(
        locking tables: [String], _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await use { [self] connection in
            try start(tables.isEmpty ? begin.read : begin.read(locking: tables), on: connection)
            return try complete(connection) {
                let value = try body(PostgreSQLTransaction(connection: connection, limits: limits))
                _ = try connection.change("COMMIT", [], limits)
                return value
            }
        }
    }

    @discardableResult
    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        let deadline = clock.elapsed + Self.retryTimeout
        var pause: TimeInterval = 0.002
        while true {
            switch try await use({ [self] connection in try attempt(isolation, body, on: connection) }) {
            case .committed(let value): return value
            case .unknown(let value, let token):
                // A long transaction may have used up the time for its repetitions, but not that for its outcome.
                if try await isCommitted(token, until: clock.elapsed + Self.retryTimeout) { return value }
            case .conflict(let error):
                // Another transaction changed the same rows, so that the two have no order. A new attempt sees them.
                guard clock.elapsed < deadline else { throw Self.unavailable(error) }
            }
            // Between half and one and a half of the pause.
            try await sleep(pause * (0.5 + Double(random.bytes(1)[0]) / 255))
            pause = min(pause * 2, 0.1)
        }
    }

    func checkIdentity() async throws {}

    func health() async throws {
        try await write(.statements) { db in
            // The row is locked and unchanged. A server in recovery or with a full disk refuses even that.
            _ = try db.row("SELECT 1 FROM generation FOR UPDATE")
        }
    }

    /// Deletes tokens that no write looks up any more.
    func maintain() async throws {
        let now = clock.elapsed
        let isDue = pruned.withLock { pruned in
            guard pruned.map({ now - $0 >= Self.pruningInterval }) ?? true else { return false }
            pruned = now
            return true
        }
        guard isDue else { return }
        try await write(.statements) { db in
            try db.execute(
                """
                DELETE FROM write_token WHERE token IN (
                    SELECT token FROM write_token WHERE written < clock_timestamp() - interval '1 hour' LIMIT 50000)
                """)
        }
    }

    func close() throws {}

    // MARK: Attempts

    private enum Attempt<Value: Sendable>: Sendable {
        case committed(Value)
        /// The connection was lost before the response to the commit of the transaction with the token.
        case unknown(Value, UUID)
        case conflict(PostgreSQLError)
    }

    private func attempt<Value>(
        _ isolation: StateIsolation, _ body: (any StateTransaction) throws -> Value,
        on connection: any PostgreSQLSession
    ) throws -> Attempt<Value> {
        let token = newToken()
        let value: Value
        do {
            try start(begin.write(isolation, token: token), on: connection)
            value = try complete(connection) {
                try body(PostgreSQLTransaction(connection: connection, limits: limits))
            }
        } catch let error as PostgreSQLError where error.isConflict {
            return .conflict(error)
        }
        do {
            // A commit that waits for a standby is not cancelled, because it would then take effect on this server alone.
            _ = try connection.change("COMMIT", [], limits, cancels: false)
            return .committed(value)
        } catch {
            if error.isConflict { return .conflict(error) }
            guard error.isCommitUnknown else { throw error }
            return .unknown(value, token)
        }
    }

    private func newToken() -> UUID {
        let bytes = random.bytes(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Starts a transaction, and records the server's time.
    private func start(_ script: String, on connection: any PostgreSQLSession) throws {
        let sent = clock.elapsed
        try complete(connection) {
            let result = try connection.script(script, limits)
            guard let text = result.rows.first?.first, let seconds = text.flatMap({ Double($0) }) else {
                throw PostgreSQLError.unexpectedResponse
            }
            clock.record(Date(timeIntervalSince1970: seconds), sent: sent, received: clock.elapsed)
        }
    }

    /// Runs the body and rolls back when it fails, so that the connection can be used again.
    private func complete<Value>(_ connection: any PostgreSQLSession, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            if connection.isInTransaction { _ = try? connection.change("ROLLBACK", [], limits) }
            throw error
        }
    }

    /// Returns whether a transaction whose commit got no response has committed, also on another server after a failover.
    ///
    /// The token is written here too. This waits for the transaction if it is still in progress. If it succeeds, the
    /// transaction has not committed and never will.
    ///
    /// Source: Pitfall 30, “Commit outcome unknown”.
    /// - Throws: ``StateStoreError`` with the reason that the outcome is unknown.
    private func isCommitted(_ token: UUID, until deadline: TimeInterval) async throws -> Bool {
        while true {
            do {
                let written = try await use { [self] connection in
                    try connection.change(
                        "INSERT INTO \(schema.quoted).write_token (token) VALUES ($1::uuid) ON CONFLICT DO NOTHING",
                        [token.uuidString], limits)
                }
                return written == 0
            } catch let error as StateStoreError {
                // The server cannot be reached yet, or the transaction waits for a standby.
                guard clock.elapsed < deadline else { throw error.withUnknownOutcome }
            }
            try await sleep(0.1)
        }
    }

    /// Runs the work with a connection.
    ///
    /// - Throws: ``StateStoreError/unavailable(reason:)`` for an error of PostgreSQL, and at once if too many calls wait;
    ///   ``StateStoreError/unreachable(reason:)`` while no server can be reached; the errors of the preparation.
    private func use<Value: Sendable>(
        _ work: @escaping @Sendable (any PostgreSQLSession) throws -> Value
    ) async throws -> Value {
        if let reason = outage.reason(at: clock.elapsed) { throw StateStoreError.unreachable(reason: reason) }
        guard sessions.waitingCount < Self.maxWaiting else {
            throw StateStoreError.unavailable(reason: "too many calls wait for PostgreSQL")
        }
        do {
            let queued = clock.elapsed
            let value = try await UninterruptedCall.run { [sessions, limits, preparation, clock] begin in
                try await sessions.withSession { connection in
                    guard begin() else { throw CancellationError() }
                    // A call that waited too long for a connection does not take the time of one more statement.
                    guard clock.elapsed - queued < limits.time / .seconds(1) else { throw PostgreSQLError.timedOut }
                    try preparation.run(on: connection)
                    return try work(connection)
                }
            }
            outage.end()
            return value
        } catch let error as PostgreSQLError {
            if error == .interrupted { throw CancellationError() }
            if !error.isAbsence, !preparation.isDone { throw PostgreSQLPreparation.cannotOpen(schema, error) }
            if error.isOutage { outage.begin(PostgreSQLFailure(error: error).cause, at: clock.elapsed) }
            throw Self.unavailable(error)
        }
    }

    private static func unavailable(_ error: PostgreSQLError) -> StateStoreError {
        let reason = PostgreSQLFailure(error: error).cause
        return error.isAbsence ? .unreachable(reason: reason) : .unavailable(reason: reason)
    }
}

extension StateStoreError {
    /// The error for a change whose commit got no response, which could not be looked up because of this error.
    fileprivate var withUnknownOutcome: StateStoreError {
        let unknown = "whether the change was made is unknown, see `gatefold state status` when the server is back"
        return switch self {
        case .unavailable(let reason): .unavailable(reason: "\(reason); \(unknown)")
        case .unreachable(let reason): .unreachable(reason: "\(reason); \(unknown)")
        default: self
        }
    }
}

/// The knowledge that no server can be reached. For a second after a failure, calls fail at once instead of waiting for
/// their time limits one after another.
private final class PostgreSQLOutage: Sendable {
    private struct Failure {
        let reason: String
        /// The monotonic time at which the next call may try.
        let end: TimeInterval
    }

    private let failure = Mutex<Failure?>(nil)

    /// Returns the reason of the last failure; nil if the next call may try.
    func reason(at elapsed: TimeInterval) -> String? {
        failure.withLock { failure in
            guard let last = failure, elapsed < last.end else { return nil }
            return last.reason
        }
    }

    func begin(_ reason: String, at elapsed: TimeInterval) {
        failure.withLock { $0 = Failure(reason: reason, end: elapsed + 1) }
    }

    func end() { failure.withLock { $0 = nil } }
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

    /// A Boolean value that indicates whether other calls would fail in the same way.
    fileprivate var isOutage: Bool {
        switch self {
        case .couldNotConnect, .timedOut: true
        default: false
        }
    }
}
