import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func record(_ revocation: Revocation) async throws {
        try await pool.write { db in try self.record(db, revocation) }
    }

    public func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage {
        let (moment, most) = (clock.now, max(1, limit))
        return try await pool.read { db in
            let rows = try Row.fetchCursor(
                try db.cachedStatement(
                    sql: """
                        SELECT \(RevocationRow.columns) FROM revocation
                        WHERE sequence > ? ORDER BY sequence LIMIT ?
                        """),
                arguments: [sequence, most])
            var page = RevocationPage()
            var (count, last) = (0, sequence)
            while let row = try rows.next() {
                count += 1
                switch try RevocationRow.read(row, at: moment) {
                case .record(let record):
                    page.records.append(record)
                    last = record.sequence
                case .unreadable(let sequence, let standIn):
                    page.unreadable.append(sequence)
                    if let standIn { page.records.append(standIn) }
                    last = sequence
                }
            }
            if count == most { page.next = last }
            return page
        }
    }

    /// Joins it with what is on record of its subscriber, see `SubscriberRevocations`. A scope that ends more, or other
    /// sessions, than before moves to the end of the sequence, so that followers see it. A row that can not be read is replaced
    /// by the end of all sessions opened so far.
    func record(_ db: Database, _ revocation: Revocation) throws {
        let (publication, subscriber) = (revocation.publication, revocation.subscriber)
        // Who may no longer sign in by a token may not by what it linked either.
        if revocation.session == nil { try Self.endLinks(db, with: subscriber, in: publication) }
        let now = try self.now(db)
        var joined = SubscriberRevocations()
        var known: [UnnumberedRecord: Int64] = [:]
        var surplus: [Int64] = []
        let rows = try Row.fetchAll(
            try db.cachedStatement(
                sql: "SELECT \(RevocationRow.columns) FROM revocation WHERE publication = ? AND subscriber = ?"),
            arguments: [publication.rawValue, Data(subscriber.bytes)])
        for row in rows {
            switch try RevocationRow.read(row, at: clock.now) {
            case .record(let record):
                joined.add(record.revocation, expires: record.expires)
                known[UnnumberedRecord(revocation: record.revocation, expires: record.expires)] = record.sequence
            case .unreadable(let sequence, let standIn):
                surplus.append(sequence)
                if let standIn { joined.add(standIn.revocation, expires: standIn.expires) }
            }
        }
        let expires = try expiry(db, of: publication, before: revocation.before, at: now)
        guard joined.add(revocation, expires: expires) || !surplus.isEmpty else { return }
        try StoreClockRow.note(db, issuedUntil: revocation.before)
        let wanted = joined.records(of: subscriber, in: publication)
        let missing = wanted.filter { known.removeValue(forKey: $0) == nil }
        for sequence in surplus + known.values { try RevocationRow.delete(db, sequence) }
        for record in missing { try RevocationRow.insert(db, record) }
    }

    /// The latest boundary on record for a session, or for all of its subscriber's.
    static func boundary(
        _ db: Database, of session: SessionReference, _ subscriber: SubscriberReference, _ publication: PublicationID
    ) throws -> Date? {
        try Double.fetchOne(
            db,
            sql: """
                SELECT max(before) FROM revocation WHERE publication = ? AND subscriber = ? AND session IN (?, x'')
                """,
            arguments: [publication.rawValue, Data(subscriber.bytes), Data(session.bytes)]
        ).map { Date(timeIntervalSince1970: $0) }
    }
}
