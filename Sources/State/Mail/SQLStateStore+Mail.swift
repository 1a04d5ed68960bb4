package import Foundation
package import Gatefold
import Primitives

extension SQLStateStore {
    package func enqueue(_ mail: QueuedMail, limit: Int, at timestamp: Date) async throws -> Bool {
        try await database.write(.locked(StateLock("mail"))) { db in
            guard try db.count("SELECT count(*) FROM mail") < limit else { return false }
            let now = timestamp.timeIntervalSince1970
            try db.execute(
                """
                INSERT INTO mail (id, owner, ends, attempts, next, next_set, content) VALUES (?, ?, ?, 0, ?, ?, ?)
                """,
                [
                    Data(mail.id), OwnerColumn.value(mail.owner), mail.expiresAt.timeIntervalSince1970, now, now,
                    Data(mail.content),
                ])
            return true
        }
    }

    package func claimMail(
        _ count: Int, lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> [MailClaim] {
        let isDue = DueDate.condition(JobQueueTable.mail.due, set: JobQueueTable.mail.set)
        let due = DueDate.arguments(at: timestamp)
        // Most calls find nothing, and then need no lock on the embedded state.
        let isAnyDue = try await database.read { db in
            try db.isTrue("SELECT EXISTS (SELECT 1 FROM mail WHERE \(isDue))", due)
        }
        guard isAnyDue else { return [] }
        return try await database.write(.statements) { db in
            // A row that another node claims at this moment is left to it, so that no node waits for another one.
            let claims = try self.readable(
                db,
                """
                SELECT id, content, ends, attempts, lease IS NOT NULL FROM mail WHERE \(isDue)
                ORDER BY next, id LIMIT ?\(db.dialect.skippingLocked)
                """, due, limit: count, for: "e-mails due", name: Self.mailName
            ) { row in
                MailClaim(
                    id: Array(try StateRow.bytes(row, 0, Self.mail)),
                    content: Array(try StateRow.bytes(row, 1, Self.mail)),
                    expiresAt: try StateRow.date(row, 2, Self.mail), lease: lease,
                    attempts: try StateRow.count(row, 3, Self.mail) + 1,
                    isOutcomeUnknown: try StateRow.integer(row, 4, Self.mail) != 0)
            }
            try StatementPart.each(of: claims) { claims in
                _ = try JobQueueTable.mail.claim(
                    db, where: "(\(StatementPart.condition("id", claims.count)))", claims.map { Data($0.id) },
                    lease: lease, at: timestamp, until: end, setting: "attempts = attempts + 1", returning: "id")
            }
            return claims
        }
    }

    package func postponeMail(
        _ id: QueuedMail.ID, lease: [UInt8], at timestamp: Date, until next: Date
    ) async throws {
        try await database.write(.statements) { db in
            try JobQueueTable.mail.rest(
                db, where: "id = ?", [Data(id)], lease: lease, at: timestamp, until: next)
        }
    }

    package func removeMail(_ id: QueuedMail.ID) async throws {
        try await database.write(.statements) { db in
            try db.execute("DELETE FROM mail WHERE id = ?", [Data(id)])
        }
    }

    package func waitingMail() async throws -> Int {
        try await database.read { db in try db.count("SELECT count(*) FROM mail") }
    }

    /// Returns the identifier of a message, for reports of rows that cannot be read.
    private static func mailName(_ row: StateRow) -> String {
        guard case .bytes(let id) = row.values[0] else { return "without an identifier" }
        return Hexadecimal.encode(id)
    }

    private static let mail = JobQueueTable.mail.name
}
