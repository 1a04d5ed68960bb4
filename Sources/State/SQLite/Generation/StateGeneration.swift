import Foundation
import GRDB
import Gatefold

/// A continuous history of a state file. A new generation begins whenever an older copy of the file takes its
/// place.
struct StateGeneration: Equatable {
    static let size = 16

    /// The random identifier, unique to this generation.
    let id: Data
    /// The progress: the last number in the sequence of revocations, see `RevocationRecord.sequence`. The revocation of an
    /// admin token takes a number too.
    var revocations: Int64
    /// The latest time, in whole seconds, at which any session counts as issued. It may be in the future if the
    /// clock was ahead, or if sessions were ended and reopened more often than once a second.
    var latest: Date

    /// Returns the generation that the tables record; nil in a state that never had a generation.
    static func recorded(_ db: Database) throws -> StateGeneration? {
        let transaction = SQLiteTransaction(db)
        guard let row = try transaction.row("SELECT id, session_floor FROM generation") else { return nil }
        let id = Data(try StateRow.bytes(row, 0, "generation"))
        guard id.count == size else { throw StateStoreError.unreadableRow(table: "generation") }
        let floor = try StateRow.optional(StateRow.date, row, 1, "generation") ?? .distantPast
        let clock = (try? StoreClockRow.clock(transaction))?.latest ?? .distantPast
        let revocations = try Int64.fetchOne(
            try db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'revocation'"))
        return StateGeneration(id: id, revocations: revocations ?? 0, latest: wholeSecond(max(floor, clock)))
    }

    /// Returns the union of this progress and the progress that another process recorded for the same generation.
    func joined(with other: StateGeneration) -> StateGeneration {
        StateGeneration(
            id: id, revocations: max(revocations, other.revocations), latest: max(latest, other.latest))
    }

    /// Returns the first whole second that is not before the given timestamp, limited to the range that the file
    /// format can hold.
    static func wholeSecond(_ timestamp: Date) -> Date {
        Date(timeIntervalSince1970: min(max(0, timestamp.timeIntervalSince1970.rounded(.up)), 253_402_300_799))
    }

    static func newID() -> Data { Data((0..<size).map { _ in UInt8.random(in: .min ... .max) }) }

    /// The tables whose rows end with their history. A session that is ended must not keep access through the links that it
    /// created. The messages of an older state were sent meanwhile. An admin token may have been revoked since, and the
    /// outcome of a change may be lost.
    static let endedTables = ["owner_link", "mail", "admin_token", "admin_outcome"]

    /// Begins a new generation in the caller's transaction.
    ///
    /// - Parameter floor: Sessions issued before this date are ended, because their revocations may be lost; nil in
    ///   a new state.
    static func begin(_ db: Database, endingSessionsBefore floor: Date?) throws -> StateGeneration {
        let before = try Double.fetchOne(db, sql: "SELECT session_floor FROM generation")
        let seconds = [before, floor?.timeIntervalSince1970].compactMap(\.self).max()
        let id = newID()
        try db.execute(sql: "DELETE FROM generation")
        try db.execute(sql: "INSERT INTO generation (id, session_floor) VALUES (?, ?)", arguments: [id, seconds])
        if floor != nil {
            for table in endedTables { try db.execute(sql: "DELETE FROM \(table)") }
        }
        guard let generation = try recorded(db) else { throw StateStoreError.unreadableRow(table: "generation") }
        return generation
    }

    /// Returns the boundary that ends all sessions issued up to and including the given timestamp, as in a
    /// `Revocation`, and all sessions that were ever issued in the given generations, even if they count as
    /// issued in the future.
    static func floor(at timestamp: Date, endingAllOf generations: [StateGeneration?]) -> Date {
        let latest = generations.compactMap { $0?.latest }.max() ?? .distantPast
        return Date(timeIntervalSince1970: max(timestamp, latest).timeIntervalSince1970.rounded(.down) + 1)
    }
}

extension StateSchema {
    static let generations = """
        -- One row: the history that this file belongs to. See StateGeneration.
        CREATE TABLE generation (
            id BLOB NOT NULL,
            session_floor REAL -- sessions issued earlier are revoked; NULL: no older state was ever restored
        ) STRICT;
        """
}
