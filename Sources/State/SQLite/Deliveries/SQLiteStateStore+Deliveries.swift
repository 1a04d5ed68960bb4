public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func deliveriesDue(
        in publication: PublicationID, at moment: Date, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await pool.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT \(DeliveryRow.columns) FROM delivery
                        WHERE publication = ? AND \(DueMoment.condition("next", set: "next_set"))
                            AND \(DeliveryRow.waits)
                        ORDER BY ordered, store, transaction_id LIMIT ?
                        """),
                arguments: [publication.rawValue] + DueMoment.arguments(at: moment) + [max(0, limit)]
            ).map(DeliveryRow.record)
        }
    }

    public func claim(_ id: Delivery.ID, lease: [UInt8], at moment: Date, until end: Date) async throws -> Bool {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET lease = ?, attempts = attempts + 1, next = ?, next_set = ?
                    WHERE store = ? AND transaction_id = ? AND \(DueMoment.condition("next", set: "next_set"))
                        AND \(DeliveryRow.waits)
                    """,
                arguments: [
                    Data(lease), end.timeIntervalSince1970, moment.timeIntervalSince1970, id.store.rawValue,
                    id.transaction,
                ] + DueMoment.arguments(at: moment))
            return db.changesCount > 0
        }
    }

    public func release(_ id: Delivery.ID, lease: [UInt8], at moment: Date) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET lease = NULL, attempts = attempts - 1, next = ?, next_set = ?
                    WHERE store = ? AND transaction_id = ? AND lease = ? AND delivered IS NULL
                    """,
                arguments: [
                    moment.timeIntervalSince1970, moment.timeIntervalSince1970, id.store.rawValue, id.transaction,
                    Data(lease),
                ])
        }
    }

    @discardableResult
    public func delivered(_ id: Delivery.ID, at moment: Date) async throws -> Bool {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET delivered = ?, lease = NULL
                    WHERE store = ? AND transaction_id = ? AND delivered IS NULL
                    """,
                arguments: [moment.timeIntervalSince1970, id.store.rawValue, id.transaction])
            return db.changesCount > 0
        }
    }

    public func deliveryFailed(
        _ id: Delivery.ID, lease: [UInt8], cause: String, at moment: Date, next: Date
    ) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET lease = NULL, next = ?, next_set = ?, cause = ?
                    WHERE store = ? AND transaction_id = ? AND lease = ? AND delivered IS NULL
                    """,
                arguments: [
                    next.timeIntervalSince1970, moment.timeIntervalSince1970, cause.replacing("\0", with: " "),
                    id.store.rawValue, id.transaction, Data(lease),
                ])
        }
    }

    public func settleDelivery(_ id: Delivery.ID, at moment: Date) async throws -> Bool {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET delivered = ?, lease = NULL
                    WHERE store = ? AND transaction_id = ? AND \(DeliveryRow.waits)
                    """,
                arguments: [moment.timeIntervalSince1970, id.store.rawValue, id.transaction])
            return db.changesCount > 0
        }
    }

    public func retryDelivery(_ id: Delivery.ID, at moment: Date) async throws -> Bool {
        try await pool.write { db in
            let waits = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM delivery WHERE store = ? AND transaction_id = ? AND \(DeliveryRow.waits))
                    """,
                arguments: [id.store.rawValue, id.transaction])
            // One that is being tried is left to whoever tries it.
            try db.execute(
                sql: """
                    UPDATE delivery SET next = ?
                    WHERE store = ? AND transaction_id = ? AND (lease IS NULL OR next <= ?) AND \(DeliveryRow.waits)
                    """,
                arguments: [
                    moment.timeIntervalSince1970, id.store.rawValue, id.transaction, moment.timeIntervalSince1970,
                ])
            return waits == true
        }
    }

    public func deliveries(
        in publication: PublicationID, waiting: Bool, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(DeliveryRow.columns) FROM delivery
                    WHERE publication = ? AND \(waiting ? DeliveryRow.waits : "account IS NOT NULL")
                    ORDER BY ordered DESC, store, transaction_id LIMIT ?
                    """,
                arguments: [publication.rawValue, max(0, limit)]
            ).map(DeliveryRow.record)
        }
    }
}
