import Foundation
import Gatefold
import Primitives

/// The rows of the audit log.
enum AuditRow {
    static let table = "audit_entry"
    static let columns = """
        sequence, id, time, actor_kind, actor, publication, action, subject, reason, details, previous, hash
        """

    /// Appends an entry in the caller's transaction.
    ///
    /// If another transaction appends an entry at the same time, the database rejects one of them because of the number,
    /// and the store makes that transaction again.
    static func append(
        _ record: AuditRecord, to chain: AuditChain, at timestamp: Date, _ db: any StateTransaction
    ) throws -> AuditEntry {
        if let row = try db.row("SELECT \(columns) FROM \(table) WHERE id = ?", [Data(record.id)]) {
            return try entry(row)
        }
        let entry = chain.entry(record, after: try head(db), at: timestamp)
        try insert(entry, db)
        return entry
    }

    static func insert(_ entry: AuditEntry, _ db: any StateTransaction) throws {
        let placeholders = Array(repeating: "?", count: 12).joined(separator: ", ")
        try db.execute(
            "INSERT INTO \(table) (\(columns)) VALUES (\(placeholders))",
            [
                entry.sequence, Data(entry.id), entry.milliseconds, entry.actorKind, entry.actor, entry.publication,
                entry.action, entry.subject, entry.reason, entry.details, Data(entry.previous), Data(entry.hash),
            ])
    }

    /// Returns the number and hash of the last entry.
    static func head(_ db: any StateTransaction) throws -> AuditHead? {
        try db.row("SELECT sequence, hash FROM \(table) ORDER BY sequence DESC LIMIT 1").map { row in
            AuditHead(
                sequence: try StateRow.integer(row, 0, table), hash: Array(try StateRow.bytes(row, 1, table)))
        }
    }

    /// Returns whether a log has an entry with the number and hash of a head.
    static func contains(_ head: AuditHead, _ db: any StateTransaction) throws -> Bool {
        guard let found = try db.bytes("SELECT hash FROM \(table) WHERE sequence = ?", [head.sequence]) else {
            return false
        }
        return isEqualInConstantTime(found, head.hash)
    }

    static func entry(_ row: StateRow) throws -> AuditEntry {
        AuditEntry(
            sequence: try StateRow.integer(row, 0, table), id: Array(try StateRow.bytes(row, 1, table)),
            milliseconds: try StateRow.integer(row, 2, table), actorKind: try StateRow.text(row, 3, table),
            actor: try StateRow.text(row, 4, table),
            publication: try StateRow.optional(StateRow.text, row, 5, table),
            action: try StateRow.text(row, 6, table), subject: try StateRow.optional(StateRow.text, row, 7, table),
            reason: try StateRow.optional(StateRow.text, row, 8, table), details: try StateRow.text(row, 9, table),
            previous: Array(try StateRow.bytes(row, 10, table)), hash: Array(try StateRow.bytes(row, 11, table)))
    }
}
