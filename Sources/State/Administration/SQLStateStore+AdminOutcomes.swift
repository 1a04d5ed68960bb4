package import Foundation
package import Gatefold

extension SQLStateStore {
    /// The maximum number of old outcomes that one request deletes.
    private static let deletedOutcomes = 100

    package func begin(
        _ id: [UInt8], request: [UInt8], lease: [UInt8], at timestamp: Date, lifetime: TimeInterval,
        leaseTime: TimeInterval
    ) async throws -> AdminOutcomeStart {
        let now = timestamp.timeIntervalSince1970
        return try await database.write(.locked(StateLock("admin outcome", Data(id)))) { db in
            try db.execute(
                """
                DELETE FROM admin_outcome WHERE id IN (
                    SELECT id FROM admin_outcome WHERE begun < ? ORDER BY begun LIMIT ?\(db.dialect.skippingLocked))
                """, [now - lifetime, Self.deletedOutcomes])
            let known = try db.row(
                "SELECT request, begun, status, body FROM admin_outcome WHERE id = ?", [Data(id)])
            if let known, let result = try Self.start(known, request, now - lifetime, now - leaseTime) {
                return result
            }
            try db.execute("DELETE FROM admin_outcome WHERE id = ?", [Data(id)])
            try db.execute(
                "INSERT INTO admin_outcome (id, request, lease, begun) VALUES (?, ?, ?, ?)",
                [Data(id), Data(request), Data(lease), now])
            return .started
        }
    }

    /// Returns the state of a request that was begun before; nil if it may begin again.
    private static func start(
        _ row: StateRow, _ request: [UInt8], _ oldest: Double, _ leaseStart: Double
    ) throws -> AdminOutcomeStart? {
        let table = "admin_outcome"
        let begun = try StateRow.real(row, 1, table)
        guard begun >= oldest else { return nil }
        guard try StateRow.bytes(row, 0, table).elementsEqual(request) else { return .mismatch }
        guard let status = try StateRow.optional(StateRow.integer, row, 2, table) else {
            return begun >= leaseStart ? .running : nil
        }
        let body = try StateRow.optional(StateRow.bytes, row, 3, table) ?? Data()
        return .finished(AdminOutcome(status: Int(status), body: Array(body)))
    }

    package func finish(_ id: [UInt8], lease: [UInt8], _ outcome: AdminOutcome?) async throws {
        try await database.write(.locked(StateLock("admin outcome", Data(id)))) { db in
            if let outcome {
                try db.execute(
                    "UPDATE admin_outcome SET status = ?, body = ? WHERE id = ? AND lease = ?",
                    [outcome.status, Data(outcome.body), Data(id), Data(lease)])
            } else {
                try db.execute("DELETE FROM admin_outcome WHERE id = ? AND lease = ?", [Data(id), Data(lease)])
            }
        }
    }
}
