import Foundation
import Gatefold
import Primitives

/// The rows of the audit log.
enum AuditRow {
    static let table = "audit_entry"
    static let columns = """
        sequence, id, time, actor_kind, actor, publication, action, subject, reason, details, previous, hash
        """

    /// Returns the start of a query whose rows ``entry(_:)`` decodes.
    static func select(_ dialect: StateDialect) -> String {
        let texts = ["actor_kind", "actor", "publication", "action", "subject", "reason", "details"]
        let bytes = texts.map(dialect.textBytes).joined(separator: ", ")
        return "SELECT sequence, id, time, \(bytes), previous, hash FROM \(table)"
    }

    /// Checks that the log exists.
    ///
    /// - Throws: ``AuditLogError/missingTable``.
    static func requireTable(_ db: any StateTransaction) throws {
        guard try db.isTrue(db.dialect.tableExists(table)) else { throw AuditLogError.missingTable }
    }

    /// Appends an entry in the caller's transaction.
    ///
    /// If another transaction appends an entry at the same time, the database rejects one of them because of the number,
    /// and the store makes that transaction again.
    ///
    /// - Throws: ``AuditLogError/invalidHead(sequence:)``, or the error of the database.
    static func append(
        _ record: AuditRecord, to chain: AuditChain, at timestamp: Date, _ db: any StateTransaction
    ) throws -> AuditEntry {
        if let row = try db.row("\(select(db.dialect)) WHERE id = ?", [Data(record.id)]) {
            return try entry(row)
        }
        let entry = try chain.entry(record, after: try head(db), at: timestamp)
        try insert(entry, db)
        return entry
    }

    static func insert(_ entry: AuditEntry, _ db: any StateTransaction) throws {
        let placeholders = Array(repeating: "?", count: 12).joined(separator: ", ")
        let texts: [String?] = [
            entry.actorKind, entry.actor, entry.publication, entry.action, entry.subject, entry.reason, entry.details,
        ]
        // Only a changed entry of another log has U+0000, which no text of PostgreSQL may contain.
        var arguments: StateArguments = [entry.sequence, Data(entry.id), entry.milliseconds]
        for text in texts { arguments.append(text?.replacing("\u{0}", with: "\u{FFFD}")) }
        arguments += [Data(entry.previous), Data(entry.hash)] as StateArguments
        try db.execute("INSERT INTO \(table) (\(columns)) VALUES (\(placeholders))", arguments)
    }

    /// Runs a body that inserts the entries of another log with their numbers, which may have gaps. Whether the log is intact
    /// is the concern of a verification.
    ///
    /// The database accepts such numbers in an incomplete copy only, see ``StateSchema/auditTriggers``.
    static func importing(into db: any StateTransaction, _ body: () throws -> Void) throws {
        let isCopy = try db.isTrue("SELECT EXISTS (SELECT 1 FROM lease WHERE name = ?)", [StateCopy.marker])
        guard !isCopy else { return try body() }
        try db.execute(
            "INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, 0.0, 0.0)", [StateCopy.marker, Data()])
        try body()
        try db.execute("DELETE FROM lease WHERE name = ?", [StateCopy.marker])
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

    /// - Parameter row: A row of a query that begins with ``select(_:)``.
    static func entry(_ row: StateRow) throws -> AuditEntry {
        var hasInvalidText = false
        func text(_ row: StateRow, _ index: Int, _ table: String) throws -> String {
            let bytes = try StateRow.bytes(row, index, table)
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            hasInvalidText = true
            return String(decoding: bytes, as: UTF8.self)
        }
        var entry = AuditEntry(
            sequence: try StateRow.integer(row, 0, table), id: Array(try StateRow.bytes(row, 1, table)),
            milliseconds: try StateRow.integer(row, 2, table), actorKind: try text(row, 3, table),
            actor: try text(row, 4, table), publication: try StateRow.optional(text, row, 5, table),
            action: try text(row, 6, table), subject: try StateRow.optional(text, row, 7, table),
            reason: try StateRow.optional(text, row, 8, table), details: try text(row, 9, table),
            previous: Array(try StateRow.bytes(row, 10, table)), hash: Array(try StateRow.bytes(row, 11, table)))
        entry.hasInvalidText = hasInvalidText
        return entry
    }
}
