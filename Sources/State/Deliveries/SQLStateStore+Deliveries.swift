public import Commerce
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func deliveriesDue(
        in publication: PublicationID, at timestamp: Date, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(DeliveryRow.columns) FROM delivery
                WHERE publication = ? AND \(DueDate.condition("next", set: "next_set")) AND \(DeliveryRow.isPending)
                ORDER BY ordered, store, transaction_id LIMIT ?
                """, [publication.rawValue] + DueDate.arguments(at: timestamp), limit: limit,
                for: "deliveries due in \(publication)", name: RowName.reference, read: DeliveryRow.record)
        }
    }

    public func claim(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            try JobQueueTable.deliveries.claim(
                db, where: "store = ? AND transaction_id = ? AND \(DeliveryRow.isPending)",
                [id.store.rawValue, id.transaction], lease: lease, at: timestamp, until: end,
                setting: "attempts = attempts + 1")
        }
    }

    public func release(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date) async throws {
        try await database.write(.statements) { db in
            try JobQueueTable.deliveries.rest(
                db, where: DeliveryRow.isUndelivered, [id.store.rawValue, id.transaction], lease: lease, at: timestamp,
                until: timestamp, setting: "attempts = attempts - 1")
        }
    }

    @discardableResult
    public func delivered(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            return try db.execute(
                """
                UPDATE delivery SET delivered = ?, lease = NULL
                WHERE store = ? AND transaction_id = ? AND delivered IS NULL
                """, [timestamp.timeIntervalSince1970, id.store.rawValue, id.transaction]) > 0
        }
    }

    public func deliveryFailed(
        _ id: Delivery.ID, lease: [UInt8], cause: String, at timestamp: Date, next: Date
    ) async throws {
        try await database.write(.statements) { db in
            try JobQueueTable.deliveries.rest(
                db, where: DeliveryRow.isUndelivered, [id.store.rawValue, id.transaction], lease: lease, at: timestamp,
                until: next, setting: "cause = ?", [cause.replacing("\0", with: " ")])
        }
    }

    public func settleDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            return try db.execute(
                """
                UPDATE delivery SET delivered = ?, lease = NULL
                WHERE store = ? AND transaction_id = ? AND \(DeliveryRow.isPending)
                """, [timestamp.timeIntervalSince1970, id.store.rawValue, id.transaction]) > 0
        }
    }

    public func retryDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            let isPending = try db.isTrue(
                """
                SELECT EXISTS (
                    SELECT 1 FROM delivery WHERE store = ? AND transaction_id = ? AND \(DeliveryRow.isPending))
                """, [id.store.rawValue, id.transaction])
            // A delivery that a process is currently attempting is left to that process.
            try db.execute(
                """
                UPDATE delivery SET next = ?
                WHERE store = ? AND transaction_id = ? AND (lease IS NULL OR next <= ?) AND \(DeliveryRow.isPending)
                """,
                [
                    timestamp.timeIntervalSince1970, id.store.rawValue, id.transaction, timestamp.timeIntervalSince1970,
                ])
            return isPending == true
        }
    }

    public func deliveries(
        in publication: PublicationID, pendingOnly: Bool, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(DeliveryRow.columns) FROM delivery
                WHERE publication = ? AND \(pendingOnly ? DeliveryRow.isPending : "account IS NOT NULL")
                ORDER BY ordered DESC, store, transaction_id LIMIT ?
                """, [publication.rawValue], limit: limit,
                for: "\(pendingOnly ? "pending" : "all") deliveries in \(publication)", name: RowName.reference,
                read: DeliveryRow.record)
        }
    }
}
