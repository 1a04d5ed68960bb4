package import GRDB

/// An error that indicates that a newer release changed the tables. This release cannot interpret them.
package struct NewerSchema: Error, Equatable, CustomStringConvertible {
    /// The unknown migrations, in alphabetical order.
    package let unknown: [String]

    package init(unknown: [String]) {
        self.unknown = unknown
    }

    package var description: String {
        "a newer release has changed its tables (\(unknown.map { "\"\($0)\"" }.joined(separator: ", "))); "
            + "expected that release or a later one, or a backup made before the change"
    }
}

extension DatabaseMigrator {
    /// Checks that this migrator knows all migrations of the database.
    ///
    /// - Throws: ``NewerSchema`` if the database contains unknown migrations.
    package func rejectNewer(_ db: Database) throws {
        let unknown = try appliedIdentifiers(db).subtracting(migrations)
        guard unknown.isEmpty else { throw NewerSchema(unknown: unknown.sorted()) }
    }
}
