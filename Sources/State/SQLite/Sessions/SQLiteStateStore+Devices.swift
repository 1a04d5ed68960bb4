public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration {
        // The transaction is immediate, so that no other process can register a device between the count and the
        // write.
        try await pool.write { db in
            let known = try Self.devices(db, subscriber, publication)
            guard case .admitted(let evicted) = limit.admit(device, among: known) else { return .rejected }
            let seconds = timestamp.timeIntervalSince1970
            try db.execute(
                sql: """
                    INSERT INTO device (publication, subscriber, device, first_used, last_used) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET last_used = max(last_used, excluded.last_used)
                    """,
                arguments: [
                    publication.rawValue, Data(subscriber.bytes), Data(device.bytes), seconds, seconds,
                ])
            let floor = try Double.fetchOne(db, sql: "SELECT session_floor FROM generation")
                .map { Date(timeIntervalSince1970: $0) }
            let ended = try known.filter { evicted.contains($0.reference) }.map { device in
                let recorded = try Self.boundary(db, of: SessionPseudonym(device.reference), subscriber, publication)
                let revocation = Revocation(
                    publication: publication, subscriber: subscriber, evicting: device,
                    recorded: [recorded, floor].compactMap(\.self).max(), at: timestamp)
                try Self.remove(db, device.reference, subscriber, publication)
                try self.record(db, revocation)
                return revocation
            }
            return .admitted(revoking: ended)
        }
    }

    public func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device] {
        try await pool.read { db in try Self.devices(db, subscriber, publication) }
    }

    public func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE device SET last_used = max(last_used, ?)
                    WHERE publication = ? AND subscriber = ? AND device = ?
                    """,
                arguments: [
                    timestamp.timeIntervalSince1970, publication.rawValue, Data(subscriber.bytes), Data(device.bytes),
                ])
        }
    }

    public func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID
    ) async throws {
        try await pool.write { db in try Self.remove(db, device, subscriber, publication) }
    }

    private static func devices(
        _ db: Database, _ subscriber: SubscriberPseudonym, _ publication: PublicationID
    ) throws -> [Device] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT device, first_used, last_used FROM device WHERE publication = ? AND subscriber = ?
                    ORDER BY last_used DESC
                    """),
            arguments: [publication.rawValue, Data(subscriber.bytes)]
        ).map { row in
            guard let reference = DevicePseudonym(bytes: try StateRow.bytes(row, 0, "device")) else {
                throw StateStoreError.unreadableRow(table: "device")
            }
            return Device(
                reference: reference, firstUsed: try StateRow.date(row, 1, "device"),
                lastUsed: try StateRow.date(row, 2, "device"))
        }
    }

    private static func remove(
        _ db: Database, _ device: DevicePseudonym, _ subscriber: SubscriberPseudonym, _ publication: PublicationID
    ) throws {
        try db.execute(
            sql: "DELETE FROM device WHERE publication = ? AND subscriber = ? AND device = ?",
            arguments: [publication.rawValue, Data(subscriber.bytes), Data(device.bytes)])
    }
}
