import GRDB
import TestSupport
import Testing

@testable import State

extension SQLStateStore {
    /// Opens an embedded state with rows in every table, as a release left it.
    static func filled(in folder: String) throws -> SQLStateStore {
        let frozen = try #require(FrozenSchema.all(of: "state").last)
        let path = folder + "/filled.sqlite"
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: frozen.sql) }
        // A table without a row of the release gets one with values of each column's type.
        try queue.writeWithoutTransaction { db in
            for table in StateTable.all where try Row.fetchOne(db, sql: "SELECT 1 FROM \(table.name)") == nil {
                let samples = ["TEXT": "'a b\u{e9}'", "REAL": "1.5e-7", "INTEGER": "1", "BLOB": "x'00ff'"]
                let columns = try db.columns(in: table.name)
                let values = columns.map { samples[$0.type] ?? "NULL" }.joined(separator: ", ")
                try db.execute(
                    sql: """
                        INSERT INTO \(table.name) (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(values))
                        """)
            }
        }
        try queue.close()
        return try SQLStateStore(path: path)
    }

    /// Returns the rows of all tables that a copy copies.
    func rows() async throws -> [String: [[StateValue]]] {
        try await database.read { db in
            try StateTable.all.reduce(into: [:]) { all, table in
                all[table.name] = try table.rows(db, after: nil, limit: 1_000).map(\.values)
            }
        }
    }
}
