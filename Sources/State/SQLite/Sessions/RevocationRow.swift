import Foundation
import GRDB
import Gatefold

/// What a row of the revocation table says, or of a row that can not be read what can be known of it.
enum RevocationRow {
    case record(RevocationRecord)
    /// - Parameter standIn: ends all sessions that the subscriber opened until the row's boundary, or until now: what is not
    ///   understood opens nothing. Nil where the row does not even say whose it is.
    case unreadable(sequence: Int64, standIn: RevocationRecord?)

    static let columns =
        "sequence, publication, subscriber, session, before, spared_session, spared_issued, expires"
    private static let table = "revocation"

    /// - Parameter moment: the present.
    static func read(_ row: Row, at moment: Date) throws -> RevocationRow {
        let sequence = try StateRow.integer(row, 0, table)
        guard let publication = (try? StateRow.text(row, 1, table)).flatMap({ PublicationID($0) }),
            let subscriber = (try? StateRow.bytes(row, 2, table)).flatMap({ SubscriberReference(bytes: $0) })
        else { return .unreadable(sequence: sequence, standIn: nil) }
        let boundary = try? date(row, 4)
        let expires = (try? date(row, 7)) ?? .distantFuture
        guard let before = boundary, let revocation = try? Self.revocation(row, publication, subscriber, before: before)
        else {
            let standIn =
                boundary.map {
                    Revocation(publication: publication, subscriber: subscriber, session: nil, before: $0)
                } ?? Revocation(publication: publication, subscriber: subscriber, session: nil, at: moment)
            return .unreadable(
                sequence: sequence,
                standIn: RevocationRecord(sequence: sequence, revocation: standIn, expires: expires))
        }
        return .record(RevocationRecord(sequence: sequence, revocation: revocation, expires: expires))
    }

    private static func revocation(
        _ row: Row, _ publication: PublicationID, _ subscriber: SubscriberReference, before: Date
    ) throws -> Revocation {
        let session = try StateRow.bytes(row, 3, table)
        let reference = SessionReference(bytes: session)
        guard session.isEmpty || reference != nil else { throw StateStoreError.unreadableRow(table: table) }
        return Revocation(
            publication: publication, subscriber: subscriber, session: reference, before: before,
            spared: try spared(row))
    }

    private static func spared(_ row: Row) throws -> SparedSession? {
        guard let bytes = try StateRow.optional(StateRow.bytes, row, 5, table) else { return nil }
        guard let session = SessionReference(bytes: bytes) else { throw StateStoreError.unreadableRow(table: table) }
        return SparedSession(session: session, issuedAt: try date(row, 6))
    }

    /// A moment that the wall clock can come to.
    private static func date(_ row: Row, _ index: Int) throws -> Date {
        let date = try StateRow.date(row, index, table)
        guard (0...253_402_300_799).contains(date.timeIntervalSince1970) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return date
    }

    static func insert(_ db: Database, _ record: UnnumberedRecord) throws {
        let revocation = record.revocation
        try db.execute(
            sql: """
                INSERT INTO revocation (
                    publication, subscriber, session, before, spared_session, spared_issued, expires)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                revocation.publication.rawValue, Data(revocation.subscriber.bytes),
                Data(revocation.session?.bytes ?? []), revocation.before.timeIntervalSince1970,
                revocation.spared.map { Data($0.session.bytes) }, revocation.spared?.issuedAt.timeIntervalSince1970,
                record.expires.timeIntervalSince1970,
            ])
    }

    static func delete(_ db: Database, _ sequence: Int64) throws {
        try db.execute(sql: "DELETE FROM revocation WHERE sequence = ?", arguments: [sequence])
    }
}
