import TestSupport

/// A PostgreSQL server for states, directly and behind PgBouncer. Gatefold's account owns one database, `state`, and may
/// do nothing else.
public struct StateServers: Sendable {
    public let instance: PostgreSQLInstance
    /// The port of PgBouncer on 127.0.0.1.
    public let bouncer: Int

    /// The servers of the current suite.
    @TaskLocal public static var current: StateServers?

    public static let user = "gatefold"
    public static let password = "the password of gatefold"

    public static func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (StateServers) async throws -> Result
    ) async throws -> Result {
        try await PostgreSQLInstance.run(settings: ["max_connections = 300", "log_statement = none"]) { instance in
            for statement in [
                "CREATE ROLE \(user) LOGIN PASSWORD '\(password)'", "CREATE DATABASE state OWNER \(user)",
            ] {
                try await instance.execute(statement, database: "postgres")
            }
            return try await PgBouncer.run(
                to: instance, user: user, password: password, in: instance.folder
            ) { port in
                try await body(StateServers(instance: instance, bouncer: port))
            }
        }
    }
}
