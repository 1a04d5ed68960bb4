public import Foundation
import GRDB
import Synchronization

extension SQLiteStateStore {
    /// A bearer seen within a day is not written down again: signing in often costs no writes.
    private static let spacing: TimeInterval = 86_400
    private static let pruningInterval: TimeInterval = 3600

    public func rememberAcquaintance(_ digest: [UInt8], at moment: Date) async throws {
        let seconds = moment.timeIntervalSince1970
        let seen = try await pool.read { db in
            try Double.fetchOne(db, sql: "SELECT seen FROM acquaintance WHERE digest = ?", arguments: [Data(digest)])
        }
        if let seen, abs(seconds - seen) < Self.spacing { return }
        let prunes = pruned.withLock { pruned in
            guard moment.timeIntervalSince(pruned) >= Self.pruningInterval else { return false }
            pruned = moment
            return true
        }
        let oldest = seconds - acquaintanceLifetime
        try await pool.write { db in
            try db.execute(
                sql:
                    "INSERT INTO acquaintance (digest, seen) VALUES (?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen",
                arguments: [Data(digest), seconds])
            if prunes {
                try db.execute(sql: "DELETE FROM acquaintance WHERE seen < ?", arguments: [oldest])
            }
        }
    }

    public func isAcquainted(_ digest: [UInt8]) async throws -> Bool {
        try await pool.read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM acquaintance WHERE digest = ?)", arguments: [Data(digest)])
                ?? false
        }
    }
}
