package import GRDB

/// Tables that a newer release made: this one does not know what they mean.
package struct NewerSchema: Error, Equatable, CustomStringConvertible {
    /// The migrations that are not known, in alphabetical order.
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
    /// - Throws: ``NewerSchema`` when the database has been through migrations that this migrator does not have.
    package func refuseNewer(_ db: Database) throws {
        let unknown = try appliedIdentifiers(db).subtracting(migrations)
        guard unknown.isEmpty else { throw NewerSchema(unknown: unknown.sorted()) }
    }
}
