package import Foundation
import Gatefold
package import PostgreSQL
package import Primitives
package import SQLAccess

extension SQLStateStore {
    /// Opens a state in PostgreSQL that several nodes share, and migrates its tables.
    ///
    /// - Parameters:
    ///   - settings: The connection and its pool.
    ///   - schema: The schema with the tables. It is created if it is missing.
    ///   - migrates: Whether missing tables are created.
    ///   - opensLater: Whether the first call opens the state, and reports the errors of its opening, instead of the
    ///     initialiser. A server that is unreachable then is tried again with each further call.
    ///   - clock: The clock of all nodes; nil for that of the database server.
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)`` or ``StateStoreError/newerSchema(path:reason:)``.
    package convenience init(
        postgreSQL settings: PostgreSQLSettings, schema: PostgreSQLSchemaName, library: LibPQ, migrates: Bool = true,
        opensLater: Bool = false,
        knownDeviceLifetime: TimeInterval = 400 * 86_400,
        newPushTokensPerHour: Int = PushTokenLimits.defaultNewTokensPerHour, clock: WallClock? = nil
    ) throws {
        let databaseClock = DatabaseClock()
        let preparation = PostgreSQLPreparation(schema: schema, migrates: migrates)
        if !opensLater {
            let connection = PostgreSQLConnection(library, settings.server, canceller: Canceller())
            defer { connection.close() }
            do {
                try connection.connect()
                try preparation.run(on: connection)
                try databaseClock.read(connection)
            } catch let error as PostgreSQLError {
                throw PostgreSQLPreparation.cannotOpen(schema, error)
            }
        }
        let database = PostgreSQLStateDatabase(
            settings, schema: schema, library: library, clock: databaseClock, preparation: preparation)
        self.init(
            database, didFindOlderState: false, knownDeviceLifetime: knownDeviceLifetime,
            newPushTokensPerHour: newPushTokensPerHour, clock: clock ?? databaseClock.wall,
            sharedClock: clock ?? databaseClock.wall)
    }
}

extension DatabaseClock {
    /// Reads the server's time, before the first transaction does.
    fileprivate func read(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        let sent = elapsed
        let result = try connection.query(
            "SELECT extract(epoch FROM clock_timestamp())::double precision", [],
            PostgreSQLConnection.Limits(rows: 1, time: .seconds(3)))
        guard let text = result.rows.first?.first, let seconds = text.flatMap({ Double($0) }) else {
            throw .unexpectedResponse
        }
        record(Date(timeIntervalSince1970: seconds), sent: sent, received: elapsed)
    }
}
