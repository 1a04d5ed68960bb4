package import Foundation
package import Gatefold

extension SQLStateStore {
    package func sharedDocuments() async throws -> [SharedDocument] {
        try await database.read { db in
            try db.rows("SELECT name, version, parts, details, due FROM document ORDER BY name").map { row in
                SharedDocument(
                    name: try StateRow.text(row, 0, Self.document),
                    version: try StateRow.optional(StateRow.bytes, row, 1, Self.document),
                    parts: try StateRow.count(row, 2, Self.document),
                    details: try StateRow.bytes(row, 3, Self.document),
                    due: try StateRow.date(row, 4, Self.document))
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

    package func replace(_ document: SharedDocument, owner: [UInt8]) async throws -> Bool {
        try await database.write(.statements) { db in
            guard try Self.holdsLease(document.name, owner, db) else { return false }
            let version = document.version ?? Data()
            let parts = try db.count(
                "SELECT count(*) FROM document_part WHERE name = ? AND version = ?", [document.name, version])
            guard parts == document.parts else { return false }
            try db.execute(
                """
                INSERT INTO document (name, version, parts, details, due) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET version = excluded.version, parts = excluded.parts, details = excluded.details, due = excluded.due
                """,
                [
                    document.name, document.version, document.parts, document.details,
                    document.due.timeIntervalSince1970,
                ])
            try db.execute("DELETE FROM document_part WHERE name = ? AND version <> ?", [document.name, version])
            return true
        }
    }

    package func discardSharedDocuments(dueBefore timestamp: Date) async throws {
        try await database.write(.statements) { db in
            try db.execute("DELETE FROM document WHERE due < ?", [timestamp.timeIntervalSince1970])
            // Parts without a document may belong to a fetch in progress, which has a lease.
            try db.execute(
                """
                DELETE FROM document_part
                WHERE name NOT IN (SELECT name FROM document) AND name NOT IN (SELECT name FROM lease)
                """)
        }
    }

    private static let document = "document"

    /// Returns whether an owner still has a lease. No other process can take the lease before the end of the transaction.
    ///
    /// Source: Pitfall 27, “The paused leader wakes up”.
    private static func holdsLease(_ name: String, _ owner: [UInt8], _ db: any StateTransaction) throws -> Bool {
        try db.row(
            "SELECT 1 FROM lease WHERE name = ? AND owner = ?" + db.dialect.forUpdate, [name, Data(owner)]) != nil
    }
}
