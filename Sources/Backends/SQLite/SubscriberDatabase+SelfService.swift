import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// Writes a reader down who has no subscription yet.
    ///
    /// - Parameter identifier: folded and acceptable.
    /// - Returns: the number of the row; nil when there is one of this identifier.
    func register(_ identifier: String, hash: String) async throws -> Int64? {
        let moment = Milliseconds.of(clock.now)
        return try await pool.write { db in
            try AppliedImport.settle(identifier, db)
            return try Int64.fetchOne(
                db,
                sql: """
                    INSERT INTO subscriber (identifier, password_hash, updated, chosen, registered) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (identifier) DO NOTHING RETURNING id
                    """,
                arguments: [identifier, hash, moment, moment, moment])
        }
    }

    /// How often a password of this subscriber was set; nil for nobody, and for one without a password, unless the reader is
    /// yet to choose the first.
    func passwordVersion(of id: Int64) async throws -> Int64? {
        try await read(aboutID: id) { db in
            try Row.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT password_version FROM subscriber
                        WHERE id = ? AND (password_hash IS NOT NULL OR awaits_choice IS NOT NULL)
                        """),
                arguments: [id]
            ).map { try SubscriberRow.integer($0, 0, "subscriber", "password_version") }
        }
    }

    /// Sets the password that a reader chose, unless another was set since this version.
    func setChosenPassword(hash: String, of id: Int64, version: Int64) async throws -> Bool {
        let moment = Milliseconds.of(clock.now)
        return try await pool.write { db in
            try AppliedImport.settle(id: id, db)
            try db.execute(
                sql: """
                    UPDATE subscriber
                    SET password_hash = ?, password_version = password_version + 1, chosen = ?, updated = ?,
                        awaits_choice = NULL
                    WHERE id = ? AND password_version = ? AND (password_hash IS NOT NULL OR awaits_choice IS NOT NULL)
                    """,
                arguments: [hash, moment, moment, id, version])
            return db.changesCount > 0
        }
    }

    /// Deletes a subscriber and all that belongs to it.
    func delete(id: Int64) async throws -> Bool {
        try await pool.write { db in
            try AppliedImport.settle(id: id, db)
            try db.execute(sql: "DELETE FROM subscriber WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }
}
