import Foundation
import GRDB
import Gatefold
import Synchronization

extension SQLiteStateStore {
    /// A bearer seen within a day is not written down again: signing in often costs no writes.
    private static let spacing: TimeInterval = 86_400

    public func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async throws {
        let (seen, recorded) = try await pool.read { db in
            let seen = try Double.fetchOne(
                db, sql: "SELECT seen FROM acquaintance WHERE digest = ?", arguments: [Data(digest)])
            return (seen, try StoreClockRow.clock(db))
        }
        if let seen, let recorded {
            let now = timing.withLock { $0.reader.advance(recorded, by: clock).moment.timeIntervalSince1970 }
            if abs(now - seen) < Self.spacing { return }
        }
        try await pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO acquaintance (digest, seen, identifier) VALUES (?, ?, ?)
                    ON CONFLICT (digest) DO UPDATE SET seen = excluded.seen, identifier = excluded.identifier
                    """,
                arguments: [Data(digest), try self.now(db).moment.timeIntervalSince1970, Data(identifier)])
            if seen != nil { return }
            try db.execute(
                sql: """
                    DELETE FROM acquaintance WHERE identifier = ? AND digest <> ? AND digest NOT IN (
                        SELECT digest FROM acquaintance WHERE identifier = ? AND digest <> ?
                        ORDER BY seen DESC, digest LIMIT ?)
                    """,
                arguments: [
                    Data(identifier), Data(digest), Data(identifier), Data(digest), Self.acquaintancesPerIdentifier - 1,
                ])
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
