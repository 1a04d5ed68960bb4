import PostgreSQL
import SQLAccess
import Synchronization

/// The step before the first use of a database: its schema is brought up to date.
///
/// It runs when the store is opened, or with the first connection if the server was unreachable then.
final class PostgreSQLPreparation: Sendable {
    private let schema: PostgreSQLSchemaName
    private let migrates: Bool
    private let migrations: [SchemaMigration]
    private let done = Mutex(false)

    /// - Parameters:
    ///   - migrates: See ``PostgreSQLMigrator``.
    ///   - migrations: The migrations that create the tables.
    init(
        schema: PostgreSQLSchemaName, migrates: Bool,
        migrations: [SchemaMigration] = PostgreSQLStateSchema.migrations
    ) {
        self.schema = schema
        self.migrates = migrates
        self.migrations = migrations
    }

    var isDone: Bool { done.withLock(\.self) }

    /// Prepares the database unless this process has done so. Other threads wait.
    func run(on connection: any PostgreSQLSession) throws {
        try done.withLock { done in
            if done { return }
            try PostgreSQLMigrator(
                connection: connection, schema: schema, migrates: migrates, migrations: migrations
            ).migrate()
            done = true
        }
    }

    static func cannotOpen(_ schema: PostgreSQLSchemaName, _ error: PostgreSQLError) -> StateStoreError {
        .cannotOpen(path: "PostgreSQL schema \(schema.name)", reason: PostgreSQLFailure(error: error).cause)
    }
}

extension PostgreSQLError {
    /// A Boolean value that indicates whether no server can be used at present, for a reason that may pass without a
    /// change of the configuration or the database.
    var isAbsence: Bool {
        switch self {
        case .couldNotConnect(.authentication), .couldNotConnect(.tls): false
        case .couldNotConnect(.serverError(let state)): Self.isAbsence(sqlState: state)
        case .couldNotConnect, .lost, .timedOut: true
        case .serverError(let state): isConnectionLoss || Self.isAbsence(sqlState: state)
        default: false
        }
    }

    /// Returns whether a state is operator_intervention, connection_exception or insufficient_resources.
    private static func isAbsence(sqlState: String) -> Bool {
        ["57P", "08", "53"].contains { sqlState.hasPrefix($0) }
    }
}
