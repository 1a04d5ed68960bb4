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
            for fact in facts {
                if try !fact.isMergeable && Self.isOutdated(db, fact, origin: origin, at: present) { continue }
                try Self.record(db, fact, origin: origin, until: fact.end.addingTimeInterval(lag))
            }
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
    private static let columns = "origin, kind, backend, subject, detail, value, recorded_at, ends"
    /// The condition that finds a fact, with the arguments of ``arguments(_:)``.
    private static let hasID = "kind = ? AND subject = ? AND backend = ? AND detail = ?"

    private static func arguments(_ id: SharedFact.ID) -> StateArguments {
        [id.kind.rawValue, Data(id.subject), id.backend, Data(id.detail)]
    }

    /// Returns whether another process learnt something later about the same ID but wrote it earlier. This is
    /// possible because processes write in batches.
    ///
    /// All processes of the file share one clock, and each process writes in its own order. A recorded timestamp in
    /// the future was written before the clock was set back. The recorded fact then counts as the earlier one.
    private static func isOutdated(
        _ db: any StateTransaction, _ fact: SharedFact, origin: [UInt8], at present: Date
    ) throws -> Bool {
        try db.isTrue(
            "SELECT recorded_at > ? AND recorded_at <= ? AND origin <> ? FROM shared_fact WHERE \(hasID)",
            [fact.timestamp.timeIntervalSince1970, present.timeIntervalSince1970, Data(origin)] + arguments(fact.id))
    }

    /// Replaces the recorded fact and moves it to the end of the sequence, so that followers see it.
    private static func record(_ db: any StateTransaction, _ fact: SharedFact, origin: [UInt8], until end: Date) throws
    {
        let id = fact.id
        let value = fact.isMergeable ? try join(db, fact) : fact.value
        try db.execute("DELETE FROM shared_fact WHERE \(hasID)", arguments(id))
        try db.execute(
            """
            INSERT INTO shared_fact (kind, backend, subject, detail, value, recorded_at, ends, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                id.kind.rawValue, try StateText.storable(id.backend, sharedFact), Data(id.subject), Data(id.detail),
                Data(value), fact.timestamp.timeIntervalSince1970, end.timeIntervalSince1970, Data(origin),
            ])
    }

    /// Deletes the facts that this fact supersedes.
    ///
    /// - Returns: The value of the fact, merged with the recorded value of the same ID.
    private static func join(_ db: any StateTransaction, _ fact: SharedFact) throws -> [UInt8] {
        let rows = try db.rows(
            "SELECT sequence, \(columns) FROM shared_fact WHERE kind = ? AND subject = ?",
            [fact.id.kind.rawValue, Data(fact.id.subject)])
        var value = fact.value
        for row in rows {
            guard let other = try? Self.fact(row) else { continue }
            if other.id == fact.id { value = fact.value(mergedWith: other.value) }
            if fact.supersedes(other) {
                let sequence = try StateRow.integer(row, 0, sharedFact)
                try db.execute("DELETE FROM shared_fact WHERE sequence = ?", [sequence])
            }
        }
        return value
    }

    private static func fact(_ row: StateRow) throws -> SharedFact {
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
