package import Foundation
package import Gatefold

extension SQLStateStore {
    private static let adminOutcomeTable = "admin_outcome"

    package func begin(
        _ id: [UInt8], request: [UInt8], lease: [UInt8], at timestamp: Date, lifetime: TimeInterval,
        leaseTime: TimeInterval
    ) async throws -> AdminOutcomeStart {
        let now = timestamp.timeIntervalSince1970
        return try await database.write(.locked(StateLock("admin outcome", Data(id)))) { db in
            let known = try db.row(
                """
                SELECT request, begun, attempted, status, body FROM admin_outcome
                WHERE id = ? AND \(Self.isOfThisHistory)
                """, [Data(id)])
            let start =
                try known.map { try Self.start($0, request, now, now - lifetime, now - leaseTime) }
                ?? .started(firstAttempt: timestamp)
            guard case .started(let first) = start else { return start }
            try db.execute("DELETE FROM admin_outcome WHERE id = ?", [Data(id)])
            try db.execute(
                """
                INSERT INTO admin_outcome (id, request, lease, begun, attempted, generation)
                VALUES (?, ?, ?, ?, ?, (SELECT generation.id FROM generation))
                """, [Data(id), Data(request), Data(lease), first.timeIntervalSince1970, now])
            return .started(firstAttempt: first)
        }
    }

    /// Returns the state of a request whose key has a row.
    private static func start(
        _ row: StateRow, _ request: [UInt8], _ now: Double, _ oldest: Double, _ leaseStart: Double
    ) throws -> AdminOutcomeStart {
        let table = adminOutcomeTable
        let begun = try StateRow.real(row, 1, table)
        let attempted = try StateRow.optional(StateRow.real, row, 2, table)
        let status = try StateRow.optional(StateRow.integer, row, 3, table)
        let isSame = try StateRow.bytes(row, 0, table).elementsEqual(request)
        if begun < oldest { return .started(firstAttempt: Date(timeIntervalSince1970: now)) }
        if status == nil, attempted == nil {
            return .started(firstAttempt: Date(timeIntervalSince1970: isSame ? begun : now))
        }
        guard isSame else { return .mismatch }
        if let status {
            let body = try StateRow.optional(StateRow.bytes, row, 4, table) ?? Data()
            return .finished(AdminOutcome(status: Int(status), body: Array(body)))
        }
        return (attempted ?? 0) >= leaseStart ? .running : .started(firstAttempt: Date(timeIntervalSince1970: begun))
    }

    package func finish(_ id: [UInt8], lease: [UInt8], _ outcome: AdminOutcome?) async throws {
        try await database.write(.locked(StateLock("admin outcome", Data(id)))) { db in
            if let outcome {
                try db.execute(
                    "UPDATE admin_outcome SET status = ?, body = ? WHERE id = ? AND lease = ?",
                    [outcome.status, Data(outcome.body), Data(id), Data(lease)])
            } else {
                try db.execute(
                    "UPDATE admin_outcome SET attempted = NULL WHERE id = ? AND lease = ?", [Data(id), Data(lease)])
            }
        }
    }
}
