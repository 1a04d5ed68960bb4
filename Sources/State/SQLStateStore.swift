public import Foundation
import Gatefold
package import Primitives
import Synchronization

/// A state store with its tables in a database: a SQLite file, or PostgreSQL for several nodes.
public final class SQLStateStore: StateStore {
    let database: any StateDatabase
    package let didFindOlderState: Bool
    let knownDeviceLifetime: TimeInterval
    let newPushTokensPerHour: Int
    let clock: WallClock
    package let sharedClock: WallClock?
    let timing = Mutex(StoreTiming())
    let deviceUses = Mutex(DeviceUseQueue())
    let timelineRetention = Mutex(TimelineRetention())
    package let unreadable = UnreadableRows()

    /// - Parameters:
    ///   - database: A database with all tables.
    ///   - didFindOlderState: See ``StateDiagnostics``.
    ///   - knownDeviceLifetime: The time in seconds after which a bearer that was not seen is no longer a known device.
    ///   - newPushTokensPerHour: The maximum number of new tokens of one app per hour. Known tokens are always
    ///     accepted.
    ///   - clock: The clock of the state. Retention uses the store's own clock, which follows this clock (see
    ///     `StoreClock`).
    ///   - sharedClock: See ``StateStore``.
    init(
        _ database: any StateDatabase, didFindOlderState: Bool, knownDeviceLifetime: TimeInterval,
        newPushTokensPerHour: Int, clock: WallClock, sharedClock: WallClock? = nil
    ) {
        self.database = database
        self.didFindOlderState = didFindOlderState
        self.knownDeviceLifetime = knownDeviceLifetime
        self.newPushTokensPerHour = newPushTokensPerHour
        self.clock = clock
        self.sharedClock = sharedClock
    }

    /// Checks that the state is not the target of a copy that is not complete.
    ///
    /// - Throws: ``StateStoreError/unavailable(reason:)``.
    package func checkIsComplete() async throws {
        try await database.read { db in try Self.rejectIncomplete(db) }
    }

    /// Checks that the state is not the target of a copy that is not complete.
    ///
    /// - Throws: ``StateStoreError/unavailable(reason:)``.
    static func rejectIncomplete(_ db: any StateTransaction) throws {
        if try db.isTrue("SELECT EXISTS (SELECT 1 FROM lease WHERE name = ?)", [StateCopy.marker]) {
            throw StateStoreError.unavailable(reason: "a copy into it is not complete; run `gatefold state copy` again")
        }
    }

    package func close() throws { try database.close() }

    public func health() async throws { try await database.health() }

    public func sessionFloor() async throws -> Date? {
        try await database.checkIdentity()
        return try await database.read { db in try Self.sessionFloor(db) }
    }

    package func endAllSessions() async throws -> Date {
        try await database.write { db in
            let latest = [try Self.sessionFloor(db), try self.now(db).latest].compactMap(\.self).max()
            let floor = StateGeneration.floor(at: latest ?? self.clock.now, endingAllOf: [])
            try Self.beginGeneration(db, endingSessionsBefore: floor)
            for table in ["revocation", "shared_fact"] { try db.renewChanges(of: table) }
            return floor
        }
    }

    /// Begins a new history of a state, in which all sessions issued before a date are ended.
    ///
    /// - Throws: ``StateStoreError/unreadableRow(table:)`` if the state has no history, so that nothing can be ended.
    static func beginGeneration(_ db: any StateTransaction, endingSessionsBefore floor: Date) throws {
        let count = try db.execute(
            "UPDATE generation SET id = ?, session_floor = ?",
            [StateGeneration.newID(), floor.timeIntervalSince1970])
        guard count > 0 else { throw StateStoreError.unreadableRow(table: "generation") }
        for table in StateGeneration.endedTables { try db.execute("DELETE FROM \(table)") }
    }

    static func sessionFloor(_ db: any StateTransaction) throws -> Date? {
        try db.real("SELECT session_floor FROM generation").map { Date(timeIntervalSince1970: $0) }
    }
}
