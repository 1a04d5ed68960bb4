import Foundation
import Gatefold
import PasswordHashing
import Primitives
import State

extension SubscriberDatabase {
    /// Sets the stored state and the message shown with it. A migrated subscriber belongs to the operator
    /// afterwards.
    ///
    /// - Returns: False if the subscriber does not exist.
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
                UPDATE subscriber SET state = ?, message = ?, updated = ?, \(SubscriberSchema.operatorOwnedAssignments)
                WHERE identifier = ?
                """,
            [state.rawValue, message, Milliseconds.of(clock.now)])
    }

    /// Sets the password hash. If the hash is nil, removes the password, which disables the sign-in where a
    /// password is required. A migrated subscriber belongs to the operator afterwards.
    ///
    /// - Parameters:
    ///   - hash: A hash in a format that `PasswordScheme` detects.
    ///   - identifier: The identifier of the subscriber.
    /// - Returns: False if the subscriber does not exist.
    /// - Throws: `PasswordError.unreadableHash` for any other format.
    @discardableResult
    public func setPassword(hash: String?, of identifier: String) async throws -> Bool {
        if let hash, PasswordScheme(of: hash) == nil { throw PasswordError.unreadableHash }
        return try await change(
            identifier,
            sql: """
                UPDATE subscriber SET password_hash = ?, updated = ?, \(SubscriberSchema.passwordResetAssignments),
                    \(SubscriberSchema.operatorOwnedAssignments)
                WHERE identifier = ?
                """,
            [hash, Milliseconds.of(clock.now)])
    }

    /// Deletes a subscriber and all its data. Its tokens then have the state unknown.
    ///
    /// - Returns: False if the subscriber does not exist.
    @discardableResult
    public func delete(_ identifier: String) async throws -> Bool {
        try await change(identifier, sql: "DELETE FROM subscriber WHERE identifier = ?", [])
    }

    /// Stores a better hash of the same password, unless the password has changed or another writer holds the lock.
    func upgradePassword(of id: Int64, from old: String, to new: String) async throws {
        try await store.writeWithoutWaiting { db in
            try ActiveImport.settle(id: id, db)
            try db.execute(
                "UPDATE subscriber SET password_hash = ? WHERE id = ? AND password_hash = ?", [new, id, old])
        }
    }

    private func change(_ identifier: String, sql: String, _ arguments: StateArguments) async throws -> Bool {
        let identifier = CredentialFields.fold(identifier)
        guard Self.accepts(identifier: identifier) else { return false }
        return try await store.write { db in
            try ActiveImport.settle(identifier, db)
            return try db.execute(sql, arguments + [identifier]) > 0
        }
    }
}
