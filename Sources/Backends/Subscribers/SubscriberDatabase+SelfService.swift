import Foundation
import Primitives
import State

extension SubscriberDatabase {
    /// Inserts a reader without a subscription.
    ///
    /// - Parameter identifier: A folded and acceptable identifier.
    /// - Returns: The number of the row; nil if a row with this identifier exists.
    func register(_ identifier: String, hash: String) async throws -> Int64? {
        let timestamp = Milliseconds.of(clock.now)
        return try await store.write { db in
            try ActiveImport.settle(identifier, db)
            return try db.integer(
                """
                INSERT INTO subscriber (identifier, password_hash, updated, password_chosen, registered) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (identifier) DO NOTHING RETURNING id
                """, [identifier, hash, timestamp, timestamp, timestamp])
        }
    }

    /// Returns the number of times that a password of this subscriber was set. Returns nil for an unknown
    /// subscriber, and for a subscriber without a password unless the reader has yet to choose the first one.
    func passwordVersion(of id: Int64) async throws -> Int64? {
        try await read(aboutID: id) { db in
            try db.row(
                """
                SELECT password_version FROM subscriber
                WHERE id = ? AND (password_hash IS NOT NULL OR awaits_password IS NOT NULL)
                """, [id]
            ).map { try SubscriberRow.integer($0, 0, "subscriber", "password_version") }
        }
    }

    /// Sets the password that a reader chose, unless another one was set since this version.
    func setChosenPassword(hash: String, of id: Int64, version: Int64) async throws -> Bool {
        let timestamp = Milliseconds.of(clock.now)
        return try await store.write { db in
            try ActiveImport.settle(id: id, db)
            return try db.execute(
                """
                UPDATE subscriber
                SET password_hash = ?, password_version = password_version + 1, password_chosen = ?, updated = ?,
                    awaits_password = NULL
                WHERE id = ? AND password_version = ? AND (password_hash IS NOT NULL OR awaits_password IS NOT NULL)
                """, [hash, timestamp, timestamp, id, version]) > 0
        }
    }

    /// Deletes a subscriber and all its data.
    func delete(id: Int64) async throws -> Bool {
        try await store.write { db in
            try ActiveImport.settle(id: id, db)
            return try db.execute("DELETE FROM subscriber WHERE id = ?", [id]) > 0
        }
    }
}
