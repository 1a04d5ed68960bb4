import Foundation
public import Gatefold
import Primitives

extension SQLStateStore {
    public func record(_ revocation: Revocation) async throws {
        // The end of all sessions also ends links, which purchases depend on.
        let isolation: StateIsolation =
            revocation.session == nil
            ? .serializable : .locked(StateLock(revocation.subscriber, revocation.publication))
        try await database.write(isolation) { db in try self.record(db, revocation) }
    }

    public func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        let (timestamp, limit) = (clock.now, max(1, limit))
        return try await database.read { db in
            var page = RevocationPage()
            let end = try db.changes(
                of: "revocation", RevocationRow.otherColumns, after: position, limit: limit
            ) { page.add(try RevocationRow.read($0, at: timestamp)) }
            page.end = end.position
            page.isLast = end.isLast
            return page
        }
    }

    public func revocations(numbered sequences: [Int64]) async throws -> RevocationPage {
        let timestamp = clock.now
        return try await database.read { db in
            var page = RevocationPage()
            for sequence in sequences {
                let row = try db.row("SELECT \(RevocationRow.columns) FROM revocation WHERE sequence = ?", [sequence])
                if let row { page.add(try RevocationRow.read(row, at: timestamp)) }
            }
            return page
        }
    }

    /// Merges the revocation with the recorded revocations of its subscriber, see `SubscriberRevocations`. A scope
    /// that now ends more or other sessions moves to the end of the sequence, so that followers see it. An
    /// unreadable row is replaced by the end of all sessions opened so far.
    func record(_ db: any StateTransaction, _ revocation: Revocation) throws {
        let (publication, subscriber) = (revocation.publication, revocation.subscriber)
        // A session that is ended must not keep access through the links that it created. A repetition of the
        // revocation leaves the links that a later session created.
        if revocation.session == nil {
            try Self.deleteLinks(db, with: subscriber, in: publication, before: revocation.before)
        }
        let now = try self.now(db)
        var joined = SubscriberRevocations()
        var known: [UnsequencedRevocation: Int64] = [:]
        var surplus: [Int64] = []
        let rows = try db.rows(
            "SELECT \(RevocationRow.columns) FROM revocation WHERE publication = ? AND subscriber = ?",
            [publication.rawValue, Data(subscriber.bytes)])
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
        _ db: any StateTransaction, of session: SessionPseudonym, _ subscriber: SubscriberPseudonym,
        _ publication: PublicationID
    ) throws -> Date? {
        try db.real(
            """
            SELECT max(before) FROM revocation WHERE publication = ? AND subscriber = ? AND session IN (?, ?)
            """, [publication.rawValue, Data(subscriber.bytes), Data(session.bytes), Data()]
        ).map { Date(timeIntervalSince1970: $0) }
    }
}

extension StateLock {
    /// The lock of the devices and the ended sessions of a subscriber.
    init(_ subscriber: SubscriberPseudonym, _ publication: PublicationID) {
        self.init("subscriber", Data(publication.rawValue.utf8), Data(subscriber.bytes))
    }
}
