import Foundation
import GRDB
import Gatefold

/// One continuous history of a state file: a new one begins whenever an older copy of the file takes its place.
struct StateGeneration: Equatable {
    static let size = 16

    /// Random, and in no other generation.
    let id: Data
    /// The sequence number of the last revocation, see ``RevocationRecord/sequence``.
    var revocations: Int64
    /// A whole second: no session counts as issued later. It may lie ahead, where the clock was ahead or where sessions were
    /// ended and opened again faster than one a second.
    var latest: Date

    /// What the tables say; nil in a state that never had a generation.
    static func recorded(_ db: Database) throws -> StateGeneration? {
        guard let row = try Row.fetchOne(try db.cachedStatement(sql: "SELECT id, session_floor FROM generation"))
        else { return nil }
        let id = Data(try StateRow.bytes(row, 0, "generation"))
        guard id.count == size else { throw StateStoreError.unreadableRow(table: "generation") }
        let floor = try StateRow.optional(StateRow.date, row, 1, "generation") ?? .distantPast
        let clock = (try? StoreClockRow.clock(db))?.latest ?? .distantPast
        let revocations = try Int64.fetchOne(
            try db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'revocation'"))
        return StateGeneration(id: id, revocations: revocations ?? 0, latest: wholeSecond(max(floor, clock)))
    }

    /// This and what another process knows of the same generation.
    func joined(with other: StateGeneration) -> StateGeneration {
        StateGeneration(
            id: id, revocations: max(revocations, other.revocations), latest: max(latest, other.latest))
    }

    /// The first that is not before a moment, within what can be written down.
    static func wholeSecond(_ moment: Date) -> Date {
        Date(timeIntervalSince1970: min(max(0, moment.timeIntervalSince1970.rounded(.up)), 253_402_300_799))
    }

    /// Begins a new generation in the caller's transaction.
    ///
    /// - Parameter floor: sessions issued before it are ended, because their revocations may be lost; nil in a new state.
    static func begin(_ db: Database, endingSessionsBefore floor: Date?) throws -> StateGeneration {
        let before = try Double.fetchOne(db, sql: "SELECT session_floor FROM generation")
        let seconds = [before, floor?.timeIntervalSince1970].compactMap(\.self).max()
        let id = Data((0..<size).map { _ in UInt8.random(in: .min ... .max) })
        try db.execute(sql: "DELETE FROM generation")
        try db.execute(sql: "INSERT INTO generation (id, session_floor) VALUES (?, ?)", arguments: [id, seconds])
        // Who may no longer sign in by a token may not by what it linked either.
        if floor != nil { try db.execute(sql: "DELETE FROM owner_link") }
        guard let generation = try recorded(db) else { throw StateStoreError.unreadableRow(table: "generation") }
        return generation
    }

    /// The boundary that ends everything issued up to and including a moment, as of a ``Revocation``, and everything that was
    /// ever issued in some generations, though that lies ahead.
    static func floor(at moment: Date, endingAllOf generations: [StateGeneration?]) -> Date {
        let latest = generations.compactMap { $0?.latest }.max() ?? .distantPast
        return Date(timeIntervalSince1970: max(moment, latest).timeIntervalSince1970.rounded(.down) + 1)
    }
}

extension StateSchema {
    static let generations = """
        -- One row: the history that this file belongs to, see StateGeneration.
        CREATE TABLE generation (
            id BLOB NOT NULL,
            session_floor REAL -- sessions issued before it are ended; NULL: no older state was ever brought back
        ) STRICT;
        """
}
