/// The migrations that a state lacks.
package struct MigrationPlan: Sendable, Equatable {
    package struct Step: Sendable, Equatable {
        package let number: Int64
        package let name: String
        /// A Boolean value that indicates whether programs of the former version of the schema may go on.
        package let isAdditive: Bool
        /// The oldest version of the schema whose programs may go on; nil if none may.
        package let compatibleSince: Int64?
        package let changes: [Change]
    }

    package struct Change: Sendable, Equatable {
        package let table: String
        package let effect: TableChange.Effect
        /// The approximate number of rows that exist; nil if it is unknown or the table is new.
        package let rows: Int64?
    }

    /// The version of the schema: the number of its last migration; 0 if there are no tables yet.
    package let version: Int64
    /// The version that this release knows.
    package let known: Int64
    package let steps: [Step]

    /// - Parameters:
    ///   - migrations: All migrations that this release knows.
    ///   - applied: The number of migrations that the state has.
    ///   - version: The number of the state's last migration.
    ///   - rows: Returns the approximate number of rows in a table that exists.
    /// - Throws: The errors of `rows`.
    init(
        _ migrations: [SchemaMigration], applied: Int, version: Int64, rows: (String) throws -> Int64?
    ) throws {
        self.version = version
        known = migrations.last?.number ?? 0
        var created: Set<String> = []
        var steps: [Step] = []
        for migration in migrations.dropFirst(applied) {
            let changes = try TableChange.all(in: migration.sql).map { change in
                if change.effect == .created { created.insert(change.table) }
                let isNew = created.contains(change.table)
                return Change(
                    table: change.table, effect: isNew ? .created : change.effect,
                    rows: isNew ? nil : try rows(change.table))
            }
            steps.append(
                Step(
                    number: migration.number, name: migration.name, isAdditive: migration.isAdditive,
                    compatibleSince: migration.compatibleSince, changes: changes))
        }
        self.steps = steps
    }
}
