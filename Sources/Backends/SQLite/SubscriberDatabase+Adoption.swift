import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// Writes an adopted reader, whole, see ``AdoptionPlace``.
    ///
    /// Never waits for another writer: sign-ins go on, and the reader's next one tries again.
    func write(
        _ reader: AdoptedReader, from origins: [AdoptionOrigin], hash: String
    ) async throws -> AdoptionOutcome {
        let moment = Milliseconds.of(clock.now)
        return try await upgrades.write { db in
            try AppliedImport.settle(reader.identifier, db)
            let present = try Row.fetchOne(
                db,
                sql: "SELECT id, adopted, adopted_backend, adopted_reference FROM subscriber WHERE identifier = ?",
                arguments: [reader.identifier]
            ).map { row in
                AdoptionPlace.Present(
                    id: try SubscriberRow.integer(row, 0, "subscriber", "id"),
                    isAdopted: try SubscriberRow.optionalInteger(row, 1, "subscriber", "adopted") != nil,
                    origin: try SubscriberRow.origin(row, at: 2))
            }
            let same: Int64?
            switch AdoptionPlace(for: origins, present: present) {
            case .operators: return .notOurs
            case .others(let backend): return .othersReader(backend: backend)
            case .newRow: same = nil
            case .inPlaceOf(let id):
                try db.execute(sql: "DELETE FROM subscriber WHERE id = ?", arguments: [id])
                same = nil
            case .sameRow(let id): same = id
            }
            let values: StatementArguments = [
                hash, reader.state.rawValue, reader.message, reader.hasAllEditions ? 1 : 0, moment, moment,
            ]
            let id: Int64
            if let same {
                id = same
                try db.execute(
                    sql: """
                        UPDATE subscriber
                        SET password_version = password_version + (chosen IS NULL AND password_hash IS NOT ?1),
                            password_hash = CASE WHEN chosen IS NULL THEN ?1 ELSE password_hash END,
                            state = ?2, message = ?3, all_editions = ?4, updated = ?5, adopted = ?6
                        WHERE id = ?7
                        """,
                    arguments: values + [id])
                for table in ["period", "edition", "category"] {
                    try db.execute(sql: "DELETE FROM \(table) WHERE subscriber = ?", arguments: [id])
                }
            } else {
                try db.execute(
                    sql: """
                        INSERT INTO subscriber (password_hash, state, message, all_editions, updated, adopted,
                            identifier, adopted_backend, adopted_reference)
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
