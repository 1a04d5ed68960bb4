public import Foundation
public import Gatefold

extension SQLStateStore {
    public func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration {
        // No other process can register a device between the count and the write.
        try await database.write(.locked(StateLock(subscriber, publication))) { db in
            let known = try Self.devices(db, subscriber, publication)
            guard case .admitted(let evicted) = limit.admit(device, among: known) else { return .rejected }
            let seconds = timestamp.timeIntervalSince1970
            try db.execute(
                """
                INSERT INTO device (publication, subscriber, device, first_used, last_used) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (publication, subscriber, device) DO UPDATE SET last_used = excluded.last_used
                WHERE device.last_used < excluded.last_used
                """,
                [
                    publication.rawValue, Data(subscriber.bytes), Data(device.bytes), seconds, seconds,
                ])
            let floor = try Self.sessionFloor(db)
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
        try await database.read { db in try Self.devices(db, subscriber, publication) }
    }

    public func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async throws {
        try await database.write(.statements) { db in
            try Self.remove(db, device, subscriber, publication, usedUntil: timestamp)
        }
    }

    private static func devices(
        _ db: any StateTransaction, _ subscriber: SubscriberPseudonym, _ publication: PublicationID
    ) throws -> [Device] {
        try db.rows(
            """
            SELECT device, first_used, last_used FROM device WHERE publication = ? AND subscriber = ?
            ORDER BY last_used DESC
            """, [publication.rawValue, Data(subscriber.bytes)]
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
        _ db: any StateTransaction, _ device: DevicePseudonym, _ subscriber: SubscriberPseudonym,
        _ publication: PublicationID, usedUntil timestamp: Date = .distantFuture
    ) throws {
        try db.execute(
            "DELETE FROM device WHERE publication = ? AND subscriber = ? AND device = ? AND last_used <= ?",
            [
                publication.rawValue, Data(subscriber.bytes), Data(device.bytes), timestamp.timeIntervalSince1970,
            ])
    }
}
