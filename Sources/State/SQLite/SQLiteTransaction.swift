import Foundation
package import GRDB
package import Gatefold

/// A transaction in a SQLite file.
package struct SQLiteTransaction: StateTransaction {
    private let db: Database
    package let dialect = StateDialect.sqlite

    package init(_ db: Database) { self.db = db }

    package func forEach(_ sql: String, _ arguments: StateArguments, _ body: (StateRow) throws -> Void) throws {
        let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: Self.bound(arguments))
        while let row = try rows.next() { try body(StateRow(row)) }
    }

    @discardableResult
    package func execute(_ sql: String, _ arguments: StateArguments) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: Self.bound(arguments))
        return db.changesCount
    }

    /// SQLite has one writer at a time, so that numbers become visible in the order in which they were assigned.
    package func changes(
        of table: String, _ columns: String, after position: ChangePosition, limit: Int,
        _ body: (StateRow) throws -> Void
    ) throws -> ChangeEnd {
        var (count, last) = (0, position.sequence)
        try forEach(
            "SELECT sequence, \(columns) FROM \(table) WHERE sequence > ? ORDER BY sequence LIMIT ?", [last, limit]
        ) { row in
            count += 1
            last = try StateRow.integer(row, 0, table)
            try body(row)
        }
        return ChangeEnd(position: ChangePosition(sequence: last), isLast: count < limit)
    }

    /// Does nothing, because a follower of an embedded state has no position from before a restore.
    package func renewChanges(of table: String) throws {}

    package func lastNumber(in table: String, _ column: String) throws -> Int64 {
        try integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]) ?? 0
    }

    package func setLastNumber(_ number: Int64, in table: String, _ column: String) throws {
        try execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
        try execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, number])
    }

    package func recordProgress() throws {
        let (table, column) = ("revocation", "sequence")
        try setLastNumber(try lastNumber(in: table, column) + 1, in: table, column)
    }

    package func unknownMigrations() throws -> [String] {
        try StateSchema.migrator.appliedIdentifiers(db).subtracting(StateSchema.migrator.migrations).sorted()
    }

    private static func bound(_ arguments: StateArguments) -> StatementArguments {
        StatementArguments(arguments.map { DatabaseValue($0.stateValue) })
    }
}

extension StateRow {
    init(_ row: Row) {
        values = row.databaseValues.map { value in
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let value): .bytes(value)
            }
        }
    }
}

extension DatabaseValue {
    fileprivate init(_ value: StateValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): value.databaseValue
            case .real(let value): value.databaseValue
            case .text(let value): value.databaseValue
            case .bytes(let value): value.databaseValue
            }
    }
}
