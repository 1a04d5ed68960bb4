import PostgreSQL
import SQLAccess

/// A connection to a PostgreSQL server with blocking calls, as in `PostgreSQLConnection`. The simulation of several nodes
/// replaces it by a model of a server.
protocol PostgreSQLSession: Sendable {
    /// A Boolean value that indicates whether the connection is in a transaction, including a failed one.
    var isInTransaction: Bool { get }

    func query(
        _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits
    ) throws(PostgreSQLError) -> PostgreSQLRows

    func script(_ sql: String, _ limits: PostgreSQLConnection.Limits) throws(PostgreSQLError) -> PostgreSQLRows

    func change(
        _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits, cancels: Bool
    ) throws(PostgreSQLError) -> Int?
}

extension PostgreSQLSession {
    /// Runs one statement for its changes. The server is asked to cancel it when it takes too long.
    func change(
        _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits
    ) throws(PostgreSQLError) -> Int? {
        try change(sql, values, limits, cancels: true)
    }
}

extension PostgreSQLConnection: PostgreSQLSession {}

/// The connections of a node to the servers of a state.
protocol PostgreSQLSessions: Sendable {
    /// The number of calls that wait for a connection.
    var waitingCount: Int { get }

    /// Runs blocking work with an exclusive connection.
    func withSession<Value: Sendable>(
        _ work: @escaping @Sendable (any PostgreSQLSession) throws -> Value
    ) async throws -> Value
}

extension ConnectionPool: PostgreSQLSessions where Connection == PostgreSQLConnection {
    func withSession<Value: Sendable>(
        _ work: @escaping @Sendable (any PostgreSQLSession) throws -> Value
    ) async throws -> Value {
        try await use { connection in try work(connection) }
    }
}
