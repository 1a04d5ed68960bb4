import Foundation
import GRDB
public import Gatefold
import Primitives

extension SQLiteStateStore {
    public func record(_ revocation: Revocation) async throws {
        try await pool.write { db in try self.record(db, revocation) }
    }

    public func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage {
        let (timestamp, limit) = (clock.now, max(1, limit))
        return try await pool.read { db in
            let rows = try Row.fetchCursor(
                try db.cachedStatement(
                    sql: """
                        SELECT \(RevocationRow.columns) FROM revocation
                        WHERE sequence > ? ORDER BY sequence LIMIT ?
                        """),
                arguments: [sequence, limit])
            var page = RevocationPage()
            var (count, last) = (0, sequence)
            while let row = try rows.next() {
                count += 1
                switch try RevocationRow.read(row, at: timestamp) {
                case .record(let record):
                    page.records.append(record)
                    last = record.sequence
                case .unreadable(let sequence, let fallback):
                    page.unreadable.append(sequence)
                    if let fallback { page.records.append(fallback) }
                    last = sequence
                }
            }
            if count == limit { page.next = last }
            return page
        }
    }

    /// Merges the revocation with the recorded revocations of its subscriber, see `SubscriberRevocations`. A scope
    /// that now ends more or other sessions moves to the end of the sequence, so that followers see it. An
    /// unreadable row is replaced by the end of all sessions opened so far.
    func record(_ db: Database, _ revocation: Revocation) throws {
        let (publication, subscriber) = (revocation.publication, revocation.subscriber)
        // A session that is ended must not keep access through the links that it created.
        if revocation.session == nil { try Self.deleteLinks(db, with: subscriber, in: publication) }
        let now = try self.now(db)
        var joined = SubscriberRevocations()
        var known: [UnsequencedRevocation: Int64] = [:]
        var surplus: [Int64] = []
        let rows = try Row.fetchAll(
            try db.cachedStatement(
                sql: "SELECT \(RevocationRow.columns) FROM revocation WHERE publication = ? AND subscriber = ?"),
            arguments: [publication.rawValue, Data(subscriber.bytes)])
        for row in rows {
            switch try RevocationRow.read(row, at: clock.now) {
            case .record(let record):
                joined.add(record.revocation, expires: record.expires)
                known[UnsequencedRevocation(revocation: record.revocation, expires: record.expires)] = record.sequence
            case .unreadable(let sequence, let fallback):
                surplus.append(sequence)
                if let fallback { joined.add(fallback.revocation, expires: fallback.expires) }
            }
        }
        let expires = try expiry(db, of: publication, before: revocation.before, at: now)
        guard joined.add(revocation, expires: expires) || !surplus.isEmpty else { return }
        try StoreClockRow.record(db, issuedUntil: revocation.before)
        let wanted = joined.records(of: subscriber, in: publication)
        let missing = wanted.filter { known.removeValue(forKey: $0) == nil }
        for sequence in surplus + known.values { try RevocationRow.delete(db, sequence) }
        for record in missing { try RevocationRow.insert(db, record) }
    }

    /// Returns the latest recorded boundary of a session, or of all sessions of its subscriber.
    static func boundary(
        _ db: Database, of session: SessionPseudonym, _ subscriber: SubscriberPseudonym, _ publication: PublicationID
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
