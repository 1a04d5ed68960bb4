import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// Sets the stored state, and the message shown with it. An adopted subscriber is the operator's from then on.
    ///
    /// - Returns: false when there is no such subscriber.
    @discardableResult
    public func setState(
        _ state: SubscriberRecord.State, message: String? = nil, of identifier: String
    ) async throws -> Bool {
        if let message, !ImportRow.accepts(message: message) {
            throw SubscriberDatabaseError.unacceptableText(column: "message")
        }
        return try await change(
            identifier,
            sql: """
                UPDATE subscriber SET state = ?, message = ?, updated = ?, \(SubscriberSchema.isOperators)
                WHERE identifier = ?
                """,
            [state.rawValue, message, Milliseconds.of(clock.now)])
    }

    /// Sets the password hash; nil takes the password away, and with it the sign-in where one is asked for. An adopted
    /// subscriber is the operator's from then on.
    ///
    /// - Parameter hash: in a form that ``PasswordScheme`` recognises.
    /// - Returns: false when there is no such subscriber.
    /// - Throws: ``PasswordError/unreadableHash`` for any other form.
    @discardableResult
    public func setPassword(hash: String?, of identifier: String) async throws -> Bool {
        if let hash, PasswordScheme(of: hash) == nil { throw PasswordError.unreadableHash }
        return try await change(
            identifier,
            sql: """
                UPDATE subscriber SET password_hash = ?, updated = ?, \(SubscriberSchema.isNewPassword),
                    \(SubscriberSchema.isOperators)
                WHERE identifier = ?
                """,
            [hash, Milliseconds.of(clock.now)])
    }

    /// Deletes a subscriber and all that belongs to it. Its tokens then have the state unknown.
    ///
    /// - Returns: false when there is no such subscriber.
    @discardableResult
    public func delete(_ identifier: String) async throws -> Bool {
        try await change(identifier, sql: "DELETE FROM subscriber WHERE identifier = ?", [])
    }

    /// Keeps a better hash of the same password, unless the password was changed meanwhile or another writer is at work.
    func upgradePassword(of id: Int64, from old: String, to new: String) async throws {
        try await upgrades.write { db in
            try AppliedImport.settle(id: id, db)
            try db.execute(
                sql: "UPDATE subscriber SET password_hash = ? WHERE id = ? AND password_hash = ?",
                arguments: [new, id, old])
        }
    }

    private func change(_ identifier: String, sql: String, _ arguments: StatementArguments) async throws -> Bool {
        let identifier = CredentialFields.fold(identifier)
        guard Self.accepts(identifier: identifier) else { return false }
        return try await pool.write { db in
            try AppliedImport.settle(identifier, db)
            try db.execute(sql: sql, arguments: arguments + [identifier])
            return db.changesCount > 0
        }
    }
}
