public import Foundation
public import Gatefold
import Primitives

extension SQLStateStore {
    public func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        if facts.isEmpty { return }
        try await database.write(.locked(StateLock("shared facts"))) { db in
            // Both clocks are read inside the transaction: another process learnt the facts that it wrote earlier
            // before this time.
            let storeClock = try self.now(db)
            let present = self.clock.now
            // A fact keeps its full lifetime even if this process's clock is behind.
            let lag = max(0, storeClock.timestamp.timeIntervalSince(present))
            try SharedFactBatch(facts, origin: origin, present: present, lag: lag).record(db)
        }
    }

    public func sharedFacts(
        after position: ChangePosition, excluding origin: [UInt8], limit: Int
    ) async throws -> SharedFactPage {
        try await database.read { db in
            var (facts, unreadable): ([SharedFact], Int) = ([], 0)
            let end = try db.changes(of: Self.sharedFact, Self.columns, after: position, limit: max(1, limit)) { row in
                do {
                    if try Array(StateRow.bytes(row, 1, Self.sharedFact)) != origin { facts.append(try Self.fact(row)) }
                } catch is StateStoreError {
                    // An unreadable row does not block the other rows.
                    // Source: Pitfall 31, “One unreadable row that stops the follower”.
                    unreadable += 1
                }
            }
            return SharedFactPage(
                facts: facts, end: end.position, isLast: end.isLast, unreadable: unreadable)
        }
    }

    public func discardSharedFacts(endedBefore timestamp: Date, limit: Int) async throws {
        try await database.write(.statements) { db in
            // Both clocks have to agree, because a fact that has ended by a clock that is ahead is still valid.
            let present = min(timestamp, try self.now(db).timestamp)
            try db.execute(
                """
                DELETE FROM shared_fact WHERE sequence IN (
                    SELECT sequence FROM shared_fact WHERE ends < ? ORDER BY ends LIMIT 50000)
                """, [present.timeIntervalSince1970])
            try db.execute(
                """
                DELETE FROM shared_fact WHERE sequence <= (
                    SELECT sequence FROM shared_fact ORDER BY sequence DESC LIMIT 1 OFFSET ?)
                """, [max(0, limit)])
        }
    }

    private static let sharedFact = "shared_fact"
    /// The columns after `sequence` from which ``fact(_:)`` decodes a row.
    static let columns = "origin, kind, backend, subject, detail, value, recorded_at, ends"

    static func fact(_ row: StateRow) throws -> SharedFact {
        SharedFact(
            id: SharedFact.ID(
                kind: try StateRow.name(row, 2, sharedFact) { SharedFact.Kind(rawValue: $0) },
                backend: try StateRow.text(row, 3, sharedFact),
                subject: Array(try StateRow.bytes(row, 4, sharedFact)),
                detail: Array(try StateRow.bytes(row, 5, sharedFact))),
            value: Array(try StateRow.bytes(row, 6, sharedFact)), timestamp: try StateRow.date(row, 7, sharedFact),
            end: try StateRow.date(row, 8, sharedFact))
    }
}
