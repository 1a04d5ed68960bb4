public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore: SharedFactStore {
    public func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        if facts.isEmpty { return }
        try await pool.write { db in
            // Read here: what another process wrote before this transaction was learnt before this moment.
            let storeClock = try self.now(db)
            let present = self.clock.now
            // Where the clock is behind, a fact still lasts for as long as it is to last.
            let lag = max(0, storeClock.moment.timeIntervalSince(present))
            for fact in facts {
                if try !fact.addsUp && Self.isOutdated(db, fact, origin: origin, at: present) { continue }
                try Self.record(db, fact, origin: origin, until: fact.end.addingTimeInterval(lag))
            }
        }
    }

    public func sharedFacts(
        after sequence: Int64, besides origin: [UInt8], limit: Int
    ) async throws -> SharedFactPage {
        try await pool.read { db in
            let rows = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT sequence, origin, kind, backend, subject, detail, value, moment, ends FROM shared_fact
                        WHERE sequence > ? ORDER BY sequence LIMIT ?
                        """),
                arguments: [sequence, max(1, limit)])
            var (facts, unreadable, last): ([SharedFact], Int, Int64) = ([], 0, sequence)
            for row in rows {
                last = try StateRow.integer(row, 0, Self.sharedFact)
                do {
                    if try Array(StateRow.bytes(row, 1, Self.sharedFact)) != origin { facts.append(try Self.fact(row)) }
                } catch is StateStoreError {
                    // One row that nobody understands keeps back no other (PITFALLS row 31).
                    unreadable += 1
                }
            }
            return SharedFactPage(
                facts: facts, next: rows.count == max(1, limit) ? last : nil, sequence: last, unreadable: unreadable)
        }
    }

    public func discardSharedFacts(endedBefore moment: Date, most: Int) async throws {
        try await pool.write { db in
            // By both clocks: what a clock that is ahead takes for over is not.
            let present = min(moment, try self.now(db).moment)
            try db.execute(sql: "DELETE FROM shared_fact WHERE ends < ?", arguments: [present.timeIntervalSince1970])
            try db.execute(
                sql: """
                    DELETE FROM shared_fact WHERE sequence <= (
                        SELECT sequence FROM shared_fact ORDER BY sequence DESC LIMIT 1 OFFSET ?)
                    """,
                arguments: [max(0, most)])
        }
    }

    private static let sharedFact = "shared_fact"

    /// Whether another process learnt something later of the same ID, and wrote it earlier: processes write in batches.
    ///
    /// All processes on the file read one clock, and what one process writes comes in its own order. A moment on record that
    /// lies ahead was written before that clock was set back: it is the earlier one whatever it says.
    private static func isOutdated(
        _ db: Database, _ fact: SharedFact, origin: [UInt8], at present: Date
    ) throws -> Bool {
        let id = fact.id
        return try SQLRequest<Bool>(
            literal: """
                SELECT moment > \(fact.moment.timeIntervalSince1970) AND moment <= \(present.timeIntervalSince1970)
                    AND origin <> \(Data(origin))
                FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                AND backend = \(id.backend) AND detail = \(Data(id.detail))
                """
        ).fetchOne(db) ?? false
    }

    /// The fact takes the place of what was on record, at the end of the sequence, so that followers see it.
    private static func record(_ db: Database, _ fact: SharedFact, origin: [UInt8], until end: Date) throws {
        let id = fact.id
        let value = fact.addsUp ? try join(db, fact) : fact.value
        try db.execute(
            literal: """
                DELETE FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                AND backend = \(id.backend) AND detail = \(Data(id.detail))
                """)
        try db.execute(
            sql: """
                INSERT INTO shared_fact (kind, backend, subject, detail, value, moment, ends, origin)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.kind.rawValue, try StateText.storable(id.backend, sharedFact), Data(id.subject), Data(id.detail),
                Data(value), fact.moment.timeIntervalSince1970, end.timeIntervalSince1970, Data(origin),
            ])
    }

    /// Takes away what a fact says with others.
    ///
    /// - Returns: its value, with what is on record of its ID.
    private static func join(_ db: Database, _ fact: SharedFact) throws -> [UInt8] {
        let rows = try SQLRequest<Row>(
            literal: """
                SELECT sequence, origin, kind, backend, subject, detail, value, moment, ends FROM shared_fact
                WHERE kind = \(fact.id.kind.rawValue) AND subject = \(Data(fact.id.subject))
                """
        ).fetchAll(db)
        var value = fact.value
        for row in rows {
            guard let other = try? Self.fact(row) else { continue }
            if other.id == fact.id { value = fact.value(joinedWith: other.value) }
            if fact.takesPlace(of: other) {
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
            value: Array(try StateRow.bytes(row, 6, sharedFact)), moment: try StateRow.date(row, 7, sharedFact),
            end: try StateRow.date(row, 8, sharedFact))
    }
}
