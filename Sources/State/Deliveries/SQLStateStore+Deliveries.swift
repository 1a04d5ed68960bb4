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

    public func claim(
        _ ids: [Delivery.ID], lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> Set<Delivery.ID> {
        try await database.write(.statements) { db in
            try Self.claim(db, ids, lease: lease, at: timestamp, until: end)
        }
    }

    static func claim(
        _ db: any StateTransaction, _ ids: [Delivery.ID], lease: [UInt8], at timestamp: Date, until end: Date
    ) throws -> Set<Delivery.ID> {
        var claimed: Set<Delivery.ID> = []
        try StatementPart.each(of: ids) { ids in
            // A row that another node claims at this moment is left to it, so that no node waits for another one. Rows that
            // are no longer due are not locked, because their node may be about to record the outcome.
            let rows = try JobQueueTable.deliveries.claim(
                db,
                where: """
                    (store, transaction_id) IN (
                        SELECT store, transaction_id FROM delivery
                        WHERE (\(DeliveryRow.isOne(of: ids))) AND \(DeliveryRow.isPending)
                            AND \(DueDate.condition("next", set: "next_set"))
                        ORDER BY store, transaction_id\(db.dialect.skippingLocked))
                    """, DeliveryRow.keys(ids) + DueDate.arguments(at: timestamp), lease: lease, at: timestamp,
                until: end,
                setting: "attempts = attempts + 1", returning: DeliveryRow.key)
            claimed.formUnion(try rows.map(DeliveryRow.id))
        }
        return claimed
    }

    public func release(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date) async throws {
        try await database.write(.statements) { db in
            try JobQueueTable.deliveries.rest(
                db, where: DeliveryRow.isUndelivered, [id.store.rawValue, id.transaction], lease: lease, at: timestamp,
                until: timestamp, setting: "attempts = attempts - 1")
        }
    }

    @discardableResult
    public func delivered(_ ids: [Delivery.ID], at timestamp: Date) async throws -> Set<Delivery.ID> {
        try await database.write(.statements) { db in
            var recorded: Set<Delivery.ID> = []
            try StatementPart.each(of: ids) { ids in
                let rows = try db.rows(
                    """
                    UPDATE delivery SET delivered = ?, lease = NULL
                    WHERE (\(DeliveryRow.isOne(of: ids))) AND delivered IS NULL RETURNING \(DeliveryRow.key)
                    """, [timestamp.timeIntervalSince1970] + DeliveryRow.keys(ids))
                recorded.formUnion(try rows.map(DeliveryRow.id))
            }
            return recorded
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

    public func pendingDeliveries(in publication: PublicationID, limit: Int) async throws -> Int {
        try await database.read { db in
            try db.count(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM delivery WHERE publication = ? AND \(DeliveryRow.isPending) LIMIT ?) AS pending
                """, [publication.rawValue, Int64(limit)])
        }
    }

    public func deliveries(
        in publication: PublicationID, pendingOnly: Bool, after position: DeliveryPosition?, limit: Int
    ) async throws -> [DeliveryRecord] {
        var (condition, arguments) = ("", [publication.rawValue] as StateArguments)
        if let position {
            condition = " AND (ordered < ? OR (ordered = ? AND (store, transaction_id) > (?, ?)))"
            let ordered = position.ordered.timeIntervalSince1970
            arguments += [ordered, ordered, position.id.store.rawValue, position.id.transaction]
        }
        let (after, values) = (condition, arguments)
        return try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(DeliveryRow.columns) FROM delivery
                WHERE publication = ? AND \(pendingOnly ? DeliveryRow.isPending : "account IS NOT NULL")\(after)
                ORDER BY ordered DESC, store, transaction_id LIMIT ?
                """, values, limit: limit,
                for: position == nil ? "\(pendingOnly ? "pending" : "all") deliveries in \(publication)" : nil,
                name: RowName.reference, read: DeliveryRow.record)
        }
    }
}
