import Foundation
import Gatefold

/// A row of the table `revocation`, or the usable part of an unreadable row.
enum RevocationRow {
    case record(RevocationRecord)
    /// - Parameter fallback: A replacement that ends all sessions that the subscriber opened until the row's
    ///   boundary, or until now, because an unreadable revocation must not leave a session open. Nil if even the
    ///   subscriber is unreadable.
    case unreadable(sequence: Int64, fallback: RevocationRecord?)

    static let columns = "sequence, \(otherColumns)"
    static let otherColumns = "publication, subscriber, session, before, exempt_session, exempt_issued, expires"
    private static let table = "revocation"

    /// - Parameter timestamp: The current time.
    static func read(_ row: StateRow, at timestamp: Date) throws -> RevocationRow {
        let sequence = try StateRow.integer(row, 0, table)
        guard let publication = (try? StateRow.text(row, 1, table)).flatMap({ PublicationID($0) }),
            let subscriber = (try? StateRow.bytes(row, 2, table)).flatMap({ SubscriberPseudonym(bytes: $0) })
        else { return .unreadable(sequence: sequence, fallback: nil) }
        let boundary = try? date(row, 4)
        let expires = (try? date(row, 7)) ?? .distantFuture
        guard let before = boundary, let revocation = try? Self.revocation(row, publication, subscriber, before: before)
        else {
            let fallback =
                boundary.map {
                    Revocation(publication: publication, subscriber: subscriber, session: nil, before: $0)
                } ?? Revocation(publication: publication, subscriber: subscriber, session: nil, at: timestamp)
            return .unreadable(
                sequence: sequence,
                fallback: RevocationRecord(sequence: sequence, revocation: fallback, expires: expires))
        }
        return .record(RevocationRecord(sequence: sequence, revocation: revocation, expires: expires))
    }

    private static func revocation(
        _ row: StateRow, _ publication: PublicationID, _ subscriber: SubscriberPseudonym, before: Date
    ) throws -> Revocation {
        let session = try StateRow.bytes(row, 3, table)
        let reference = SessionPseudonym(bytes: session)
        guard session.isEmpty || reference != nil else { throw StateStoreError.unreadableRow(table: table) }
        return Revocation(
            publication: publication, subscriber: subscriber, session: reference, before: before,
            exempt: try exempt(row))
    }

    private static func exempt(_ row: StateRow) throws -> ExemptSession? {
        guard let bytes = try StateRow.optional(StateRow.bytes, row, 5, table) else { return nil }
        guard let session = SessionPseudonym(bytes: bytes) else { throw StateStoreError.unreadableRow(table: table) }
        return ExemptSession(session: session, issuedAt: try date(row, 6))
    }

    /// Returns a date within the range of the wall clock.
    private static func date(_ row: StateRow, _ index: Int) throws -> Date {
        let date = try StateRow.date(row, index, table)
        guard (0...253_402_300_799).contains(date.timeIntervalSince1970) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return date
    }

    static func insert(_ db: any StateTransaction, _ record: UnsequencedRevocation) throws {
        let revocation = record.revocation
        try db.execute(
            """
            INSERT INTO revocation (
                publication, subscriber, session, before, exempt_session, exempt_issued, expires)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                revocation.publication.rawValue, Data(revocation.subscriber.bytes),
                Data(revocation.session?.bytes ?? []), revocation.before.timeIntervalSince1970,
                revocation.exempt.map { Data($0.session.bytes) }, revocation.exempt?.issuedAt.timeIntervalSince1970,
                record.expires.timeIntervalSince1970,
            ])
    }

    static func delete(_ db: any StateTransaction, _ sequence: Int64) throws {
        try db.execute("DELETE FROM revocation WHERE sequence = ?", [sequence])
    }
}

extension RevocationPage {
    mutating func add(_ row: RevocationRow) {
        switch row {
        case .record(let record): records.append(record)
        case .unreadable(let sequence, let fallback):
            unreadable.append(sequence)
            if let fallback { records.append(fallback) }
        }
    }
}
