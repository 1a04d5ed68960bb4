import Synchronization

/// A connection to a PostgreSQL server, used through blocking calls that another thread can interrupt.
public final class PostgreSQLConnection: Sendable {
    private let wakeupPipe: WakeupPipe
    /// The connection of libpq. A call holds the lock until it ends, so ``interrupt()`` does not use it.
    private let connection: Mutex<LibPQConnection>

    /// Creates a connection that is not open yet.
    public init(_ library: LibPQ, _ server: PostgreSQLServer, canceller: Canceller) {
        let wakeupPipe = WakeupPipe()
        self.wakeupPipe = wakeupPipe
        connection = Mutex(LibPQConnection(library, server, canceller, wakeupPipe))
    }

    /// A Boolean value that indicates whether another query may be sent: the connection is open, in no transaction,
    /// and the previous result has been read.
    public var isUsable: Bool { connection.withLock { $0.isUsable } }

    /// A Boolean value that indicates whether the connection is in a transaction, including a failed one.
    public var isInTransaction: Bool { connection.withLock { $0.isInTransaction } }

    /// Connects to the first suitable host.
    ///
    /// - Throws: ``PostgreSQLError/couldNotConnect(_:)`` with the most specific failure of all hosts, or
    ///   ``PostgreSQLError/interrupted``.
    public func connect() throws(PostgreSQLError) {
        try connection.withLock { connection throws(PostgreSQLError) in try connection.connect() }
    }

    /// Makes a call in progress on another thread end with ``PostgreSQLError/interrupted``, and all later calls
    /// too.
    public func interrupt() { wakeupPipe.raise() }

    /// Frees all resources. The connection is not used again.
    public func close() { connection.withLock { $0.close() } }

    /// Runs one statement with separate parameters, and reads the whole result.
    ///
    /// - Parameters:
    ///   - sql: one statement with the placeholders `$1`, `$2` and so on.
    ///   - values: the parameters as texts without NUL, nil for NULL. The server infers their types.
    ///   - limits: The limits of the result and of the time.
    /// - Throws: ``PostgreSQLError``. After any error except ``PostgreSQLError/serverError(sqlState:)``,
    ///   ``PostgreSQLError/valueRejected(sqlState:)`` and ``PostgreSQLError/noRows`` the connection is no longer
    ///   usable.
    public func query(_ sql: String, _ values: [String?], _ limits: Limits) throws(PostgreSQLError) -> PostgreSQLRows {
        try connection.withLock { connection throws(PostgreSQLError) in try connection.query(sql, values, limits) }
    }

    /// Runs several statements without parameters, with the rules of ``query(_:_:_:)``, in one round trip.
    ///
    /// - Returns: The rows of the statement that returns rows; empty if none does. At most one may.
    public func script(_ sql: String, _ limits: Limits) throws(PostgreSQLError) -> PostgreSQLRows {
        try connection.withLock { connection throws(PostgreSQLError) in try connection.script(sql, limits) }
    }

    /// Runs one statement for its changes, with the rules of ``query(_:_:_:)``.
    ///
    /// - Parameter cancels: Whether the server is asked to cancel the statement when it takes too long.
    /// - Returns: the number of rows that the statement changed or returned, or nil where the server does not
    ///   count them.
    public func change(
        _ sql: String, _ values: [String?], _ limits: Limits, cancels: Bool = true
    ) throws(PostgreSQLError) -> Int? {
        try connection.withLock { connection throws(PostgreSQLError) in
            try connection.change(sql, values, limits, cancels: cancels)
        }
    }
}

extension PostgreSQLConnection {
    /// The limits of a query's result and time.
    public struct Limits: Sendable {
        public var rows: Int
        /// The maximum size of all values together, in bytes. Default: 64 MiB.
        public var bytes: Int
        public var time: Duration

        public init(rows: Int, bytes: Int = 64 << 20, time: Duration) {
            self.rows = rows
            self.bytes = bytes
            self.time = time
        }
    }
}

/// The rows of a result as texts, nil for NULL.
public struct PostgreSQLRows: Sendable, Equatable {
    public var columns: [String] = []
    /// The OIDs of the columns' types (PostgreSQL manual, 53.64, `pg_type`).
    public var types: [UInt32] = []
    public var rows: [[String?]] = []
}
