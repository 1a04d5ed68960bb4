public import Foundation
import Primitives

extension SQLStateStore {
    public func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool {
        try await database.write(.statements) { db in
            let now = self.clock.now
            let taken = try db.row(
                """
                INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET owner = excluded.owner, ends = excluded.ends, ends_set = excluded.ends_set
                WHERE \(DueDate.condition("lease.ends", set: "lease.ends_set"))
                RETURNING name
                """,
                [
                    name, Data(owner), now.addingTimeInterval(duration).timeIntervalSince1970,
                    now.timeIntervalSince1970,
                ] + DueDate.arguments(at: now))
            return taken != nil
        }
    }

    public func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool {
        try await database.write(.statements) { db in
            let now = self.clock.now
            return try db.execute(
                "UPDATE lease SET ends = ?, ends_set = ? WHERE name = ? AND owner = ?",
                [
                    now.addingTimeInterval(duration).timeIntervalSince1970, now.timeIntervalSince1970, name,
                    Data(owner),
                ]) > 0
        }
    }

    public func endLease(_ name: String, owner: [UInt8]) async throws {
        try await database.write(.statements) { db in
            try db.execute("DELETE FROM lease WHERE name = ? AND owner = ?", [name, Data(owner)])
        }
    }
}
