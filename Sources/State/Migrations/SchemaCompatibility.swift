/// The rule by which a program may use a schema that a newer release has migrated.
///
/// Each migration records the oldest version of the schema whose programs may go on. A program refuses the schema only if
/// a migration that it does not know requires a newer program, or records nothing.
///
/// Source: Pitfall 33, “Rolling upgrade”.
package enum SchemaCompatibility {
    package static let table = """
        -- For each migration, the oldest version of the schema whose programs may use the tables after it.
        CREATE TABLE schema_compatibility (
            version INTEGER NOT NULL PRIMARY KEY, -- the number of the migration
            since INTEGER NOT NULL
        ) STRICT;
        """

    /// Returns the statement that records the compatibility of a migration.
    static func record(_ since: Int64, of version: Int64) -> String {
        "INSERT INTO schema_compatibility (version, since) VALUES (\(version), \(since));"
    }

    /// A migration of the schema that the program does not know.
    struct Unknown {
        let number: Int64
        let name: String
    }

    /// Returns the names of the unknown migrations that do not allow a program.
    ///
    /// - Parameters:
    ///   - unknown: The migrations that the program does not know.
    ///   - since: The recorded versions, by the number of their migration.
    ///   - version: The version of the schema that the program knows.
    static func rejected(_ unknown: [Unknown], since: [Int64: Int64], version: Int64) -> [String] {
        unknown.filter { migration in since[migration.number].map { $0 > version } ?? true }.map(\.name).sorted()
    }
}
