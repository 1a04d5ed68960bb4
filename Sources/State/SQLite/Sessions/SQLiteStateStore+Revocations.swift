public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func record(_ revocation: Revocation) async throws {
        try await pool.write { db in try Self.record(db, revocation) }
    }

    public func revocations(after sequence: Int64) async throws -> [RevocationRecord] {
        try await pool.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT \(Self.columns) FROM revocation
                        WHERE sequence > ? ORDER BY sequence
                        """),
                arguments: [sequence]
            ).map(Self.record)
        }
    }

    public func discardRevocations(before moment: Date) async throws {
        let seconds = moment.timeIntervalSince1970
        // Looking first costs no lock: most of the time there is nothing to discard.
        let isNeeded = try await pool.read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM revocation WHERE before < ?)", arguments: [seconds])
        }
        guard isNeeded == true else { return }
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM revocation WHERE before < ?", arguments: [seconds])
        }
    }

    private static let columns = "sequence, publication, subscriber, session, before, spared_session, spared_issued"

    /// Joins it with the one of its scope, see ``Revocation/joined(with:)``. A scope that ends more, or other sessions, than
    /// before moves to the end of the sequence, so that followers see it.
    static func record(_ db: Database, _ revocation: Revocation) throws {
        let scope: StatementArguments = [
            revocation.publication.rawValue, Data(revocation.subscriber.bytes), Data(revocation.session?.bytes ?? []),
        ]
        // Who may no longer sign in by a token may not by what it linked either.
        if revocation.session == nil { try endLinks(db, with: revocation.subscriber, in: revocation.publication) }
        let known = try Row.fetchOne(
            db, sql: "SELECT \(columns) FROM revocation WHERE publication = ? AND subscriber = ? AND session = ?",
            arguments: scope
        ).map(Self.record)?.revocation
        let joined = known?.joined(with: revocation) ?? revocation
        if joined == known { return }
        try db.execute(
            sql: "DELETE FROM revocation WHERE publication = ? AND subscriber = ? AND session = ?", arguments: scope)
        try db.execute(
            sql: """
                INSERT INTO revocation (publication, subscriber, session, before, spared_session, spared_issued)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: scope + [
                joined.before.timeIntervalSince1970, joined.spared.map { Data($0.session.bytes) },
                joined.spared?.issuedAt.timeIntervalSince1970,
            ])
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

    private static func record(_ row: Row) throws -> RevocationRecord {
        let table = "revocation"
        let session = try StateRow.bytes(row, 3, table)
        let reference = SessionReference(bytes: session)
        guard let publication = PublicationID(try StateRow.text(row, 1, table)),
            let subscriber = SubscriberReference(bytes: try StateRow.bytes(row, 2, table)),
            session.isEmpty || reference != nil
        else { throw StateStoreError.unreadableRow(table: table) }
        return RevocationRecord(
            sequence: try StateRow.integer(row, 0, table),
            revocation: Revocation(
                publication: publication, subscriber: subscriber, session: reference,
                before: try StateRow.date(row, 4, table), spared: try spared(row, table)))
    }

    private static func spared(_ row: Row, _ table: String) throws -> SparedSession? {
        guard let bytes = try StateRow.optional(StateRow.bytes, row, 5, table) else { return nil }
        guard let session = SessionReference(bytes: bytes) else { throw StateStoreError.unreadableRow(table: table) }
        return SparedSession(session: session, issuedAt: try StateRow.date(row, 6, table))
    }
}
