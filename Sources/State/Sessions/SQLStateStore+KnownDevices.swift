import Foundation
import Gatefold
import Synchronization

extension SQLStateStore {
    /// The minimum interval in seconds between two writes about one bearer. Frequent sign-ins therefore cause no
    /// writes.
    private static let minWriteInterval: TimeInterval = 86_400

    @discardableResult
    public func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws -> Bool {
        let (seen, recorded) = try await database.read { db in
            let seen = try db.real("SELECT seen FROM known_device WHERE digest = ?", [Data(digest)])
            return (seen, try StoreClockRow.clock(db))
        }
        if let seen, let recorded {
            let now = timing.withLock { $0.reader.advance(recorded, by: clock).timestamp.timeIntervalSince1970 }
            if abs(now - seen) < Self.minWriteInterval { return false }
        }
        return try await database.write(.locked(StateLock("known devices", Data(identifier)))) { db in
            try db.execute(
                """
                INSERT INTO known_device (digest, seen, identifier) VALUES (?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET seen = excluded.seen, identifier = excluded.identifier
                """, [Data(digest), try self.now(db).timestamp.timeIntervalSince1970, Data(identifier)])
            if seen != nil { return false }
            try db.execute(
                """
                DELETE FROM known_device WHERE identifier = ? AND digest <> ? AND digest NOT IN (
                    SELECT digest FROM known_device WHERE identifier = ? AND digest <> ?
                    ORDER BY seen DESC, digest LIMIT ?)
                """,
                [
                    Data(identifier), Data(digest), Data(identifier), Data(digest),
                    Self.maxKnownDevicesPerIdentifier - 1,
                ])
            return true
        }
    }

    public func isKnownDevice(_ digest: [UInt8]) async throws -> Bool {
        try await database.read { db in
            try db.isTrue("SELECT EXISTS (SELECT 1 FROM known_device WHERE digest = ?)", [Data(digest)])
        }
    }
}
