import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess

extension SubscriberDatabase {
    /// Writes a complete migrated reader, see ``LazyMigrationSlot``.
    ///
    /// Never waits for another writer, so that sign-ins are not delayed. The next sign-in of the reader tries
    /// again.
    func write(
        _ reader: MigratedReader, from origins: [LazyMigrationOrigin], hash: String
    ) async throws -> LazyMigrationOutcome {
        let timestamp = Milliseconds.of(clock.now)
        return try await rehashQueue.write { db in
            try ActiveImport.settle(reader.identifier, db)
            let present = try Row.fetchOne(
                db,
                sql: "SELECT id, migrated, migrated_backend, migrated_pseudonym FROM subscriber WHERE identifier = ?",
                arguments: [reader.identifier]
            ).map { row in
                LazyMigrationSlot.ExistingRow(
                    id: try SubscriberRow.integer(row, 0, "subscriber", "id"),
                    isMigrated: try SubscriberRow.optionalInteger(row, 1, "subscriber", "migrated") != nil,
                    origin: try SubscriberRow.origin(row, at: 2))
            }
            let same: Int64?
            switch LazyMigrationSlot(for: origins, present: present) {
            case .ownedByOperator: return .ownedByOperator
            case .others(let backend): return .ownedByOtherBackend(backend: backend)
            case .newRow: same = nil
            case .replacing(let id):
                try db.execute(sql: "DELETE FROM subscriber WHERE id = ?", arguments: [id])
                same = nil
            case .sameRow(let id): same = id
            }
            let values: StatementArguments = [
                hash, reader.state.rawValue, reader.message, reader.hasAllEditions ? 1 : 0, timestamp, timestamp,
            ]
            let id: Int64
            if let same {
                id = same
                try db.execute(
                    sql: """
                        UPDATE subscriber
                        SET password_version = password_version + (password_chosen IS NULL AND password_hash IS NOT ?1),
                            password_hash = CASE WHEN password_chosen IS NULL THEN ?1 ELSE password_hash END,
                            state = ?2, message = ?3, all_editions = ?4, updated = ?5, migrated = ?6
                        WHERE id = ?7
                        """,
                    arguments: values + [id])
                for table in ["period", "edition", "category"] {
                    try db.execute(sql: "DELETE FROM \(table) WHERE subscriber = ?", arguments: [id])
                }
            } else {
                try db.execute(
                    sql: """
                        INSERT INTO subscriber (password_hash, state, message, all_editions, updated, migrated,
                            identifier, migrated_backend, migrated_pseudonym)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: values + [
                        reader.identifier, origins.first?.backend, origins.first?.reference.description,
                    ])
                id = db.lastInsertedRowID
            }
            for period in reader.periods {
                try db.execute(
                    sql: #"INSERT INTO period (subscriber, start, "end") VALUES (?, ?, ?)"#,
                    arguments: [id, Milliseconds.of(period.start), period.end.map(Milliseconds.of)])
            }
            for edition in reader.editions {
                try db.execute(
                    sql: "INSERT INTO edition (subscriber, edition) VALUES (?, ?)", arguments: [id, edition.rawValue])
            }
            for category in reader.categories {
                try db.execute(
                    sql: "INSERT INTO category (subscriber, scheme, value) VALUES (?, ?, ?)",
                    arguments: [id, category.scheme, category.value])
            }
            return .written
        }
    }
}
