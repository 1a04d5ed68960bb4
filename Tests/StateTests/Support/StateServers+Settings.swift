import BackendFixtures
import Foundation
import PostgreSQL
import SQLAccess
import Settings
import State
import Synchronization

extension StateServers {
    private static let schemas = Atomic(0)

    /// Returns the name of a schema that no other test uses.
    static func freshSchema() -> PostgreSQLSchemaName {
        PostgreSQLSchemaName("state_\(schemas.add(1, ordering: .relaxed).newValue)")!
    }

    /// Returns the settings of a connection.
    ///
    /// - Parameters:
    ///   - port: The port of 127.0.0.1; nil for the server's own.
    ///   - statementTimeout: The time limit for a statement in seconds. A busy machine may take longer than the default.
    func settings(
        port: Int? = nil, user: String = user, pool: Int = 4, statementTimeout: Int = 30
    ) throws -> PostgreSQLSettings {
        let text = """
            connection:
              hosts: ["127.0.0.1:\(port ?? instance.port)"]
              database: state
              user: \(user)
              password: {env: STATE_PASSWORD}
              statement_timeout: \(statementTimeout)s
            pool: {size: \(pool)}
            """
        return try PostgreSQLSettings(
            YAMLSettings.read(
                text: text, name: "state.yaml", folder: instance.folder.path,
                environment: ["STATE_PASSWORD": Self.password]), for: .state)
    }
}
