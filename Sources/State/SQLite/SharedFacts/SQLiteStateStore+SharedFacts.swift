public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore: SharedFactStore {
    public func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        if facts.isEmpty { return }
        try await pool.write { db in
            for fact in facts { try Self.record(db, fact, origin: origin, at: self.clock.now) }
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

    /// The fact of the latest moment takes the place of what was on record, at the end of the sequence, so that followers see it.
    /// Processes write in batches, so one that learnt something earlier may write it later: its fact is dropped. A moment that
    /// is ahead comes from a clock that was wrong, and holds back nothing. A fact about everything of somebody takes the place
    /// of all parts.
    private static func record(_ db: Database, _ fact: SharedFact, origin: [UInt8], at now: Date) throws {
        let id = fact.id
        let recorded = try SQLRequest<Double>(
            literal: """
                SELECT moment FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                AND backend = \(id.backend) AND detail = \(Data(id.detail))
                """
        ).fetchOne(db)
        if let recorded, recorded > fact.moment.timeIntervalSince1970, recorded <= now.timeIntervalSince1970 {
            return
        }
        if id.kind == .denial, id.detail.isEmpty {
            try db.execute(
                literal: """
                    DELETE FROM shared_fact WHERE kind = \(id.kind.rawValue) AND subject = \(Data(id.subject))
                    AND value = \(Data(fact.value))
                    """)
        }
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
                Data(fact.value), fact.moment.timeIntervalSince1970, fact.end.timeIntervalSince1970, Data(origin),
            ])
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
