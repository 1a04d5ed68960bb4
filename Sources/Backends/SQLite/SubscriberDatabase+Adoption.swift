import Foundation
import GRDB
import Gatefold

extension SubscriberDatabase {
    /// Writes an adopted reader, whole.
    ///
    /// Never waits for another writer: sign-ins go on, and the reader's next one tries again.
    ///
    /// - Returns: false when the operator has written down somebody of that identifier.
    func write(_ reader: AdoptedReader, hash: String) async throws -> Bool {
        let moment = Milliseconds.of(clock.now)
        return try await upgrades.write { db in
            try db.execute(
                sql: """
                    INSERT INTO subscriber (identifier, password_hash, state, message, all_editions, updated, adopted)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
                    ON CONFLICT (identifier) DO UPDATE
                    SET password_hash = ?2, state = ?3, message = ?4, all_editions = ?5, updated = ?6, adopted = ?6
                    WHERE adopted IS NOT NULL
                    """,
                arguments: [
                    reader.identifier, hash, reader.state.rawValue, reader.message, reader.hasAllEditions ? 1 : 0,
                    moment,
                ])
            guard db.changesCount > 0,
                let id = try Int64.fetchOne(
                    db, sql: "SELECT id FROM subscriber WHERE identifier = ?", arguments: [reader.identifier])
            else { return false }
            for table in ["period", "edition", "category"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE subscriber = ?", arguments: [id])
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
            return true
        }
    }
}
