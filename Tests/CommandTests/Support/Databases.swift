import Foundation
import GRDB
import TestSupport

extension Sample {
    /// Opens a database of the running server.
    func database(_ name: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path("state/\(name).sqlite"), configuration: configuration)
    }

    /// Runs the body while a table is renamed, so queries on it fail.
    func withoutTable(_ table: String, in name: String, _ body: () async throws -> Void) async throws {
        let database = try database(name)
        try await database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE \(table) RENAME TO gone")
        }
        do {
            try await body()
        } catch {
            try await database.write { try $0.execute(sql: "ALTER TABLE gone RENAME TO \(table)") }
            throw error
        }
        try await database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE gone RENAME TO \(table)")
        }
    }
}
