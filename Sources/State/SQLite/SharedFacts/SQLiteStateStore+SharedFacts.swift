public import Foundation
import GRDB
public import Gatefold
import Primitives

extension SQLiteStateStore {
    public func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        if facts.isEmpty { return }
        try await pool.write { db in
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
        after sequence: Int64, excluding origin: [UInt8], limit: Int
    ) async throws -> SharedFactPage {
        try await pool.read { db in
            let rows = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT sequence, origin, kind, backend, subject, detail, value, recorded_at, ends FROM shared_fact
                        WHERE sequence > ? ORDER BY sequence LIMIT ?
                        """),
                arguments: [sequence, max(1, limit)])
            var (facts, unreadable, last): ([SharedFact], Int, Int64) = ([], 0, sequence)
            for row in rows {
                last = try StateRow.integer(row, 0, Self.sharedFact)
                do {
                    if try Array(StateRow.bytes(row, 1, Self.sharedFact)) != origin { facts.append(try Self.fact(row)) }
                } catch is StateStoreError {
                    // An unreadable row does not block the other rows.
                    // Source: Pitfall 31, “One unreadable row that stops the follower”.
                    unreadable += 1
                }
            }
            return SharedFactPage(
                facts: facts, next: rows.count == max(1, limit) ? last : nil, sequence: last, unreadable: unreadable)
        }
    }

    public func discardSharedFacts(endedBefore timestamp: Date, limit: Int) async throws {
        try await pool.write { db in
            // Both clocks have to agree, because a fact that has ended by a clock that is ahead is still valid.
            let present = min(timestamp, try self.now(db).timestamp)
            try db.execute(sql: "DELETE FROM shared_fact WHERE ends < ?", arguments: [present.timeIntervalSince1970])
            try db.execute(
                sql: """
                    DELETE FROM shared_fact WHERE sequence <= (
                        SELECT sequence FROM shared_fact ORDER BY sequence DESC LIMIT 1 OFFSET ?)
                    """,
                arguments: [max(0, limit)])
        }
    }

    private static let sharedFact = "shared_fact"

    /// Returns whether another process learnt something later about the same ID but wrote it earlier. This is
    /// possible because processes write in batches.
    ///
    /// All processes of the file share one clock, and each process writes in its own order. A recorded timestamp in
    /// the future was written before the clock was set back. The recorded fact then counts as the earlier one.
    private static func isOutdated(
        _ db: Database, _ fact: SharedFact, origin: [UInt8], at present: Date
    ) throws -> Bool {
        let id = fact.id
        return try SQLRequest<Bool>(
            literal: """
                SELECT recorded_at > \(fact.timestamp.timeIntervalSince1970) AND recorded_at <= \(present.timeIntervalSince1970)
                    AND origin <> \(Data(origin))
                FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                AND backend = \(id.backend) AND detail = \(Data(id.detail))
                """
        ).fetchOne(db) ?? false
    }

    /// Replaces the recorded fact and moves it to the end of the sequence, so that followers see it.
    private static func record(_ db: Database, _ fact: SharedFact, origin: [UInt8], until end: Date) throws {
        let id = fact.id
        let value = fact.isMergeable ? try join(db, fact) : fact.value
        try db.execute(
            literal: """
                DELETE FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                AND backend = \(id.backend) AND detail = \(Data(id.detail))
                """)
        try db.execute(
            sql: """
                INSERT INTO shared_fact (kind, backend, subject, detail, value, recorded_at, ends, origin)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.kind.rawValue, try StateText.storable(id.backend, sharedFact), Data(id.subject), Data(id.detail),
                Data(value), fact.timestamp.timeIntervalSince1970, end.timeIntervalSince1970, Data(origin),
            ])
    }

    /// Deletes the facts that this fact supersedes.
    ///
    /// - Returns: The value of the fact, merged with the recorded value of the same ID.
    private static func join(_ db: Database, _ fact: SharedFact) throws -> [UInt8] {
        let rows = try SQLRequest<Row>(
            literal: """
                SELECT sequence, origin, kind, backend, subject, detail, value, recorded_at, ends FROM shared_fact
                WHERE kind = \(fact.id.kind.rawValue) AND subject = \(Data(fact.id.subject))
                """
        ).fetchAll(db)
        var value = fact.value
        for row in rows {
            guard let other = try? Self.fact(row) else { continue }
            if other.id == fact.id { value = fact.value(mergedWith: other.value) }
            if fact.supersedes(other) {
                let sequence = try StateRow.integer(row, 0, sharedFact)
                try db.execute(literal: "DELETE FROM shared_fact WHERE sequence = \(sequence)")
            }
        }
        return value
    }

    private static func fact(_ row: Row) throws -> SharedFact {
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
