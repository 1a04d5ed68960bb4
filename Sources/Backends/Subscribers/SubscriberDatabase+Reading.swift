import Foundation
import Gatefold
import PasswordHashing
import State

extension SubscriberDatabase {
    /// Returns the subscriber with this identifier, which is folded first; nil if none exists.
    ///
    /// - Throws: An error if the database is unavailable or the row is unreadable.
    public func find(_ identifier: String) async throws -> SubscriberRecord? {
        let identifier = CredentialFields.fold(identifier)
        guard Self.accepts(identifier: identifier) else { return nil }
        return try await read(about: identifier) { db in
            try Self.complete(
                try db.row("SELECT \(SubscriberRow.columns) FROM subscriber WHERE identifier = ?", [identifier]), db)
        }
    }

    /// Returns the number of the subscriber with this identifier, which is folded first; nil if none exists. The rest of
    /// the row may be unreadable.
    public func id(of identifier: String) async throws -> Int64? {
        let identifier = CredentialFields.fold(identifier)
        guard Self.accepts(identifier: identifier) else { return nil }
        return try await read(about: identifier) { db in
            try db.integer("SELECT id FROM subscriber WHERE identifier = ?", [identifier])
        }
    }

    /// Returns the subscriber with this number; nil if none exists or if it was deleted.
    public func find(id: Int64) async throws -> SubscriberRecord? {
        try await read(aboutID: id) { db in
            try Self.complete(
                try db.row("SELECT \(SubscriberRow.columns) FROM subscriber WHERE id = ?", [id]), db)
        }
    }

    /// Returns the number of a folded identifier, or nil if it is unknown, and the hash to check a password
    /// against. The hash belongs to the subscriber or, for an unknown identifier, to a dummy. Each call reads a few
    /// pages, the same for known and unknown identifiers.
    func proof(of identifier: String) async throws -> SubscriberProofRecord {
        let isAcceptable = Self.accepts(identifier: identifier)
        return try await store.read { db in
            let requested = isAcceptable ? identifier : ""
            let stored = try db.row(
                "SELECT id, password_hash, registered IS NOT NULL FROM subscriber WHERE identifier = ?", [requested])
            let effect = try ActiveImport.current(db)?.effect(on: requested, db) ?? .nothing
            let maximum = try db.integer("SELECT max(id) FROM subscriber") ?? 0
            let dummyHash = try db.row(
                "SELECT id, password_hash FROM subscriber WHERE id >= ? ORDER BY id LIMIT 1",
                [try dummyHashes(db).number(for: identifier, maximum: maximum)]
            ).flatMap { try SubscriberRow.optionalText($0, 1, "subscriber", "password_hash") }
            // All queries are above, so that the response time does not tell which identifiers are known.
            let id = try stored.map { try SubscriberRow.integer($0, 0, "subscriber", "id") }
            let hash = try stored.flatMap { try SubscriberRow.optionalText($0, 1, "subscriber", "password_hash") }
            switch effect {
            case .row(let row, let hasPasswords):
                // The row gets a new number when it is applied, and only an authenticated reader justifies that
                // work.
                let isReplaced = try stored.map { try SubscriberRow.integer($0, 2, "subscriber", "registered") == 1 }
                return SubscriberProofRecord(
                    id: isReplaced == true ? nil : id, isStaged: true,
                    passwordHash: hasPasswords ? row.passwordHash : isReplaced == true ? nil : hash)
            case .nothing where stored != nil:
                return SubscriberProofRecord(id: id, isStaged: false, passwordHash: hash)
            case .nothing, .removed:
                return SubscriberProofRecord(id: nil, isStaged: false, passwordHash: dummyHash)
            }
        }
    }

    /// Returns a page of subscribers, sorted by identifier.
    ///
    /// - Parameters:
    ///   - after: The last identifier of the previous page; empty for the first page.
    ///   - limit: The maximum number of subscribers.
    ///   - state: If set, returns only subscribers with this stored state.
    public func list(
        after: String = "", limit: Int, state: SubscriberRecord.State? = nil
    ) async throws -> [SubscriberRecord] {
        try await applyImport()
        return try await store.read { db in
            let filter: StateArguments = state.map { [$0.rawValue] } ?? []
            let rows = try db.rows(
                """
                SELECT \(SubscriberRow.columns) FROM subscriber
                WHERE identifier > ?\(filter.isEmpty ? "" : " AND state = ?") ORDER BY identifier LIMIT ?
                """, [after] + filter + [max(0, limit)])
            return try rows.compactMap { try Self.complete($0, db) }
        }
    }

    /// Returns the number of subscribers in each stored state.
    public func counts() async throws -> [SubscriberRecord.State: Int] {
        try await applyImport()
        return try await store.read { db in
            var counts = Dictionary(uniqueKeysWithValues: SubscriberRecord.State.allCases.map { ($0, 0) })
            try db.forEach("SELECT state, count(*) FROM subscriber GROUP BY state", []) { row in
                guard
                    let state = SubscriberRecord.State(
                        rawValue: try SubscriberRow.optionalText(row, 0, "subscriber", "state") ?? "")
                else { throw UnreadableRow(table: "subscriber", column: "state") }
                counts[state] = Int(try SubscriberRow.integer(row, 1, "subscriber", "count"))
            }
            return counts
        }
    }

    private static func complete(_ row: StateRow?, _ db: any StateTransaction) throws -> SubscriberRecord? {
        guard let row else { return nil }
        var record = try SubscriberRow.record(row)
        record.periods = try db.rows(
            #"SELECT start, "end" FROM period WHERE subscriber = ? ORDER BY start"#, [record.id]
        ).map { try SubscriberRow.period($0, at: 0) }
        record.editions = try db.rows(
            "SELECT edition FROM edition WHERE subscriber = ? ORDER BY edition", [record.id]
        ).map { try SubscriberRow.edition($0, at: 0) }
        record.categories = try db.rows(
            "SELECT scheme, value FROM category WHERE subscriber = ? ORDER BY scheme, value", [record.id]
        ).map { try SubscriberRow.category($0, at: 0) }
        return record
    }
}

/// The subscriber of an identifier and the hash to check the password against.
struct SubscriberProofRecord: Sendable {
    /// The number of the subscriber. Nil if the identifier is unknown, or if the number is assigned only when a row
    /// of an import is applied.
    let id: Int64?
    /// A Boolean value that indicates whether the identifier belongs to a row of an import that is not applied yet.
    let isStaged: Bool
    let passwordHash: String?
}
