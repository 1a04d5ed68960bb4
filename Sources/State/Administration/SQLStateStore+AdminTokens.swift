package import Foundation
package import Gatefold

extension SQLStateStore {
    private static let adminTokenTable = "admin_token"
    private static let adminTokenColumns =
        "id, digest, name, role, publications, created, expires, revoked, last_used"

    /// The condition that a row belongs to the history of the state.
    static let isOfThisHistory = "generation = (SELECT generation.id FROM generation)"

    package func create(_ token: AdminTokenRecord) async throws {
        try await database.write(.statements) { db in try Self.insert(token, db) }
    }

    private static func insert(_ token: AdminTokenRecord, _ db: any StateTransaction) throws {
        try db.execute(
            """
            INSERT INTO admin_token (\(adminTokenColumns), generation)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT generation.id FROM generation))
            """,
            [
                token.id, Data(token.digest), token.name.description, token.scope.role.rawValue,
                token.scope.publications.map { $0.sorted().map(\.rawValue).joined(separator: " ") },
                token.created.timeIntervalSince1970, token.expires?.timeIntervalSince1970,
                token.revoked?.timeIntervalSince1970, token.lastUsed?.timeIntervalSince1970,
            ])
    }

    package func adminToken(withDigest digest: [UInt8]) async throws -> AdminTokenRecord? {
        try await database.read { db in
            try db.row(
                "SELECT \(Self.adminTokenColumns) FROM admin_token WHERE digest = ? AND \(Self.isOfThisHistory)",
                [Data(digest)]
            ).map(Self.adminToken)
        }
    }

    package func adminTokens() async throws -> [AdminTokenRecord] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(Self.adminTokenColumns) FROM admin_token WHERE \(Self.isOfThisHistory)
                ORDER BY created DESC, id
                """
            ).map(Self.adminToken)
        }
    }

    package func revokeAdminToken(_ id: String, at timestamp: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            let count = try db.execute(
                "UPDATE admin_token SET revoked = coalesce(revoked, ?) WHERE id = ? AND \(Self.isOfThisHistory)",
                [timestamp.timeIntervalSince1970, id])
            if count > 0 { try db.recordProgress() }
            return count > 0
        }
    }

    package func exchangeAdminToken(
        _ id: String, for new: AdminTokenRecord, at timestamp: Date
    ) async throws -> Bool {
        let now = timestamp.timeIntervalSince1970
        return try await database.write(.statements) { db in
            // The row is locked by the first transaction, and the following ones find it revoked.
            let count = try db.execute(
                """
                UPDATE admin_token SET revoked = ?
                WHERE id = ? AND revoked IS NULL AND (expires IS NULL OR expires > ?) AND \(Self.isOfThisHistory)
                """, [now, id, now])
            guard count > 0 else { return false }
            try Self.insert(new, db)
            try db.recordProgress()
            return true
        }
    }

    package func touchAdminToken(_ id: String, at timestamp: Date) async throws {
        let now = timestamp.timeIntervalSince1970
        try await database.write(.statements) { db in
            _ = try db.execute(
                "UPDATE admin_token SET last_used = ? WHERE id = ? AND (last_used IS NULL OR last_used < ?)",
                [now, id, now])
        }
    }

    /// - Throws: ``StateStoreError/unreadableRow(table:)``. A scope that cannot be read must not become a wider one.
    private static func adminToken(_ row: StateRow) throws -> AdminTokenRecord {
        let table = adminTokenTable
        let publications = try StateRow.optional(StateRow.text, row, 4, table).map { text in
            try Set(
                text.split(separator: " ").map { name in
                    guard let id = PublicationID(name) else { throw StateStoreError.unreadableRow(table: table) }
                    return id
                })
        }
        return AdminTokenRecord(
            id: try StateRow.text(row, 0, table), digest: Array(try StateRow.bytes(row, 1, table)),
            name: try StateRow.name(row, 2, table) { AdminTokenName($0) },
            scope: AdminScope(
                try StateRow.name(row, 3, table) { AdminRole(rawValue: $0) }, in: publications),
            created: try StateRow.date(row, 5, table), expires: try StateRow.optional(StateRow.date, row, 6, table),
            revoked: try StateRow.optional(StateRow.date, row, 7, table),
            lastUsed: try StateRow.optional(StateRow.date, row, 8, table))
    }
}
