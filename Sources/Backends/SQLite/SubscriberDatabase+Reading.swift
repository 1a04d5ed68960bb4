import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// The subscriber of this identifier, which is folded first; nil when there is none.
    ///
    /// - Throws: when the database can not be asked or the row can not be understood.
    public func find(_ identifier: String) async throws -> SubscriberRecord? {
        let identifier = CredentialFields.fold(identifier)
        guard Self.accepts(identifier: identifier) else { return nil }
        return try await read(about: identifier) { db in
            try Self.complete(
                try Row.fetchOne(
                    try db.cachedStatement(
                        sql: "SELECT \(SubscriberRow.columns) FROM subscriber WHERE identifier = ?"),
                    arguments: [identifier]), db)
        }
    }

    /// The subscriber of this number; nil when there is none (any more).
    public func find(id: Int64) async throws -> SubscriberRecord? {
        try await read(aboutID: id) { db in
            try Self.complete(
                try Row.fetchOne(
                    try db.cachedStatement(sql: "SELECT \(SubscriberRow.columns) FROM subscriber WHERE id = ?"),
                    arguments: [id]), db)
        }
    }

    /// The number of an identifier that is already folded, nil when it is nobody's, and the hash to check a password
    /// against: the subscriber's own or, for nobody, a decoy. Looks at a few pages, the same ones for everybody.
    func proof(of identifier: String) async throws -> StoredProofOfSubscriber {
        let isAcceptable = Self.accepts(identifier: identifier)
        return try await pool.read { db in
            let asked = isAcceptable ? identifier : ""
            var own = try Row.fetchOne(
                try db.cachedStatement(
                    sql: "SELECT id, password_hash, registered IS NOT NULL FROM subscriber WHERE identifier = ?"),
                arguments: [asked])
            switch try AppliedImport.current(db)?.word(on: asked, db) {
            case .row(let row, let hasPasswords):
                // A new number is given when the row is brought over, which only who proves themselves is worth.
                let stored = try own.flatMap { try SubscriberRow.optionalText($0, 1, "subscriber", "password_hash") }
                let isRegistered = try own.map { try SubscriberRow.integer($0, 2, "subscriber", "registered") == 1 }
                let kept = isRegistered == true ? nil : stored
                let id = try own.map { try SubscriberRow.integer($0, 0, "subscriber", "id") }
                return StoredProofOfSubscriber(
                    id: isRegistered == true ? nil : id, isStaged: true,
                    passwordHash: hasPasswords ? row.passwordHash : kept)
            case .removed: own = nil
            case .nothing, nil: break
            }
            let most = try Int64.fetchOne(try db.cachedStatement(sql: "SELECT max(id) FROM subscriber")) ?? 0
            let decoy = try Row.fetchOne(
                try db.cachedStatement(
                    sql: "SELECT id, password_hash FROM subscriber WHERE id >= ? ORDER BY id LIMIT 1"),
                arguments: [decoys.number(for: identifier, most: most)])
            let id = try own.map { try SubscriberRow.integer($0, 0, "subscriber", "id") }
            let hash = try (own ?? decoy).flatMap {
                try SubscriberRow.optionalText($0, 1, "subscriber", "password_hash")
            }
            return StoredProofOfSubscriber(id: id, isStaged: false, passwordHash: hash)
        }
    }

    /// A page of subscribers in the order of their identifiers.
    ///
    /// - Parameters:
    ///   - after: the last identifier of the page before; empty for the first.
    ///   - state: only those whose stored state this is.
    public func list(
        after: String = "", limit: Int, state: SubscriberRecord.State? = nil
    ) async throws -> [SubscriberRecord] {
        try await applyImport()
        return try await pool.read { db in
            let rows = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT \(SubscriberRow.columns) FROM subscriber
                        WHERE identifier > ? AND (?2 IS NULL OR state = ?2) ORDER BY identifier LIMIT ?3
                        """),
                arguments: [after, state?.rawValue, max(0, limit)])
            return try rows.compactMap { try Self.complete($0, db) }
        }
    }

    /// How many subscribers there are in each stored state.
    public func counts() async throws -> [SubscriberRecord.State: Int] {
        try await applyImport()
        return try await pool.read { db in
            var counts = Dictionary(uniqueKeysWithValues: SubscriberRecord.State.allCases.map { ($0, 0) })
            let rows = try Row.fetchCursor(db, sql: "SELECT state, count(*) FROM subscriber GROUP BY state")
            while let row = try rows.next() {
                guard
                    let state = SubscriberRecord.State(
                        rawValue: try SubscriberRow.optionalText(row, 0, "subscriber", "state") ?? "")
                else { throw UnreadableRow(table: "subscriber", column: "state") }
                counts[state] = Int(try SubscriberRow.integer(row, 1, "subscriber", "count"))
            }
            return counts
        }
    }

    private static func complete(_ row: Row?, _ db: Database) throws -> SubscriberRecord? {
        guard let row else { return nil }
        var record = try SubscriberRow.record(row)
        record.periods = try Row.fetchAll(
            try db.cachedStatement(sql: #"SELECT start, "end" FROM period WHERE subscriber = ? ORDER BY start"#),
            arguments: [record.id]
        ).map { try SubscriberRow.period($0, at: 0) }
        record.editions = try Row.fetchAll(
            try db.cachedStatement(sql: "SELECT edition FROM edition WHERE subscriber = ? ORDER BY edition"),
            arguments: [record.id]
        ).map { try SubscriberRow.edition($0, at: 0) }
        record.categories = try Row.fetchAll(
            try db.cachedStatement(
                sql: "SELECT scheme, value FROM category WHERE subscriber = ? ORDER BY scheme, value"),
            arguments: [record.id]
        ).map { try SubscriberRow.category($0, at: 0) }
        return record
    }
}

/// Whose an identifier is, and what their password is checked against.
struct StoredProofOfSubscriber: Sendable {
    /// Nil when it is nobody's, and when the number is given only as a row of an import is brought to where it is read.
    let id: Int64?
    /// Whether it is the identifier of such a row.
    let isStaged: Bool
    let passwordHash: String?
}
