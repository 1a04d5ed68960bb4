package import Foundation
package import Gatefold
import Primitives

extension SQLStateStore {
    package func sharedDocuments() async throws -> [SharedDocument] {
        try await database.read { db in
            try db.rows("SELECT name, version, parts, details, due, sequence FROM document ORDER BY name").map { row in
                SharedDocument(
                    name: try StateRow.text(row, 0, Self.document),
                    version: try StateRow.optional(StateRow.bytes, row, 1, Self.document),
                    parts: try StateRow.count(row, 2, Self.document),
                    details: try StateRow.bytes(row, 3, Self.document),
                    due: try StateRow.date(row, 4, Self.document),
                    sequence: try StateRow.integer(row, 5, Self.document))
            }
        }
    }

    package func part(_ number: Int, of version: Data, in name: String) async throws -> Data? {
        try await database.read { db in
            try db.bytes(
                "SELECT content FROM document_part WHERE name = ? AND version = ? AND number = ?",
                [name, version, number])
        }
    }

    package func storePart(
        _ content: Data, _ number: Int, of version: Data, in name: String, owner: [UInt8]
    ) async throws -> Bool {
        try await database.write(.statements) { db in
            guard try Self.holdsLease(name, owner, db) else { return false }
            try db.execute(
                """
                INSERT INTO document_part (name, version, number, content) VALUES (?, ?, ?, ?)
                ON CONFLICT (name, version, number) DO UPDATE SET content = excluded.content
                """, [name, version, number, content])
            return true
        }
    }

    package func replace(_ document: SharedDocument, owner: [UInt8]) async throws -> Int64? {
        try await database.write(.statements) { db in
            guard try Self.holdsLease(document.name, owner, db) else { return nil }
            let parts = try db.count(
                "SELECT count(*) FROM document_part WHERE name = ? AND version = ?",
                [document.name, document.version ?? Data()])
            guard parts == document.parts else { return nil }
            // A number of milliseconds also grows after a document was deleted, and after a failover that lost a write.
            // The rest of the rule lets it grow while the clock was set back.
            return try db.integer(
                """
                INSERT INTO document (name, version, parts, details, due, sequence) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET version = excluded.version, parts = excluded.parts, details = excluded.details, due = excluded.due,
                    sequence = CASE WHEN excluded.sequence > document.sequence THEN excluded.sequence
                        ELSE document.sequence + 1 END
                RETURNING sequence
                """,
                [
                    document.name, document.version, document.parts, document.details,
                    document.due.timeIntervalSince1970, Int64(self.clock.now.timeIntervalSince1970 * 1000),
                ])
        }
    }

    package func deleteFormerParts(of name: String, owner: [UInt8]) async throws -> Bool {
        try await database.write(.statements) { db in
            guard try Self.holdsLease(name, owner, db) else { return false }
            return try db.execute(
                """
                DELETE FROM document_part WHERE name = ? AND (version, number) IN (
                    SELECT version, number FROM document_part WHERE name = ? AND \(Self.isFormer)
                    LIMIT \(Self.partBatch))
                """, [name, name]) == Self.partBatch
        }
    }

    /// Deletes documents that no node fetches any more, and parts that belong to no document, in small batches.
    ///
    /// - Parameter batches: The number of deletions that the caller may still make.
    /// - Returns: False if rows are left.
    func pruneDocuments(at timestamp: Date, _ batches: inout Int) async throws -> Bool {
        let oldest = timestamp.timeIntervalSince1970 - Self.documentLifetime
        try await database.write(.statements) { db in
            try db.execute("DELETE FROM document WHERE due < ?", [oldest])
        }
        while true {
            // A part of a version that is not current may belong to a fetch in progress, which has a lease.
            let count = try await database.write(.statements) { db in
                try db.execute(
                    """
                    DELETE FROM document_part WHERE (name, version, number) IN (
                        SELECT name, version, number FROM document_part
                        WHERE \(Self.isFormer) AND NOT EXISTS (
                            SELECT 1 FROM lease WHERE lease.name = document_part.name
                            AND NOT \(DueDate.condition("lease.ends", set: "lease.ends_set")))
                        LIMIT \(Self.partBatch))
                    """, DueDate.arguments(at: timestamp))
            }
            if count < Self.partBatch { return true }
            batches -= 1
            if batches <= 0 { return false }
        }
    }

    /// The time in seconds after which a document that no node fetches any more is deleted: 30 days.
    private static let documentLifetime: TimeInterval = 30 * 86_400
    /// The number of parts per deletion: 8 MB, which are deleted in a fraction of a statement's time limit.
    private static let partBatch = 16
    /// The condition that a part belongs to no current version.
    private static let isFormer = """
        NOT EXISTS (
            SELECT 1 FROM document
            WHERE document.name = document_part.name AND document.version = document_part.version)
        """

    private static let document = "document"

    /// Returns whether an owner still has a lease. No other process can take the lease before the end of the transaction.
    ///
    /// Source: Pitfall 27, “The paused leader wakes up”.
    private static func holdsLease(_ name: String, _ owner: [UInt8], _ db: any StateTransaction) throws -> Bool {
        try db.row(
            "SELECT 1 FROM lease WHERE name = ? AND owner = ?" + db.dialect.forUpdate, [name, Data(owner)]) != nil
    }
}
