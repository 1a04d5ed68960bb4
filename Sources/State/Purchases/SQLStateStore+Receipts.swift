public import Commerce
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func persist(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at timestamp: Date
    ) async throws -> ReceiptRecord {
        return try await database.write { db in
            if let known = try ReceiptRow.find(db, receipt) {
                // A receipt whose content was deleted stays without content until it proves something, because
                // rejected receipts have no limit.
                return ReceiptRecord(
                    id: known.id, incoming: receipt, received: known.received, status: known.status)
            }
            try ReceiptQuota.make(db, for: receipt, within: limits, at: timestamp)
            return ReceiptRecord(
                id: try ReceiptRow.insert(db, receipt, at: timestamp, stored: self.now(db).timestamp),
                incoming: receipt,
                received: timestamp,
                status: .pending(attempts: 0))
        }
    }

    public func reject(_ record: ReceiptRecord, _ rejection: ReceiptRejection, at timestamp: Date) async throws {
        try await database.write { db in try ReceiptRow.reject(db, record, rejection, at: timestamp) }
    }

    public func abandon(_ record: ReceiptRecord.ID, pendingFor seconds: TimeInterval) async throws -> Bool {
        try await database.write { db in
            try ReceiptRow.delete(db, record, storedBy: self.now(db).timestamp.addingTimeInterval(-seconds))
        }
    }

    /// Postpones a receipt that is still pending, because another process may have received a verdict meanwhile.
    public func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at timestamp: Date, until due: Date
    ) async throws -> Bool {
        try await database.write { db in
            guard let receipt = try ReceiptRow.find(db, record) else { return false }
            if receipt.status == .pending(attempts: 0),
                try !ReceiptQuota.hasCapacity(db, in: receipt.incoming.publication, within: limits)
            {
                try ReceiptRow.delete(db, record)
                return false
            }
            try JobQueueTable.receipts.rest(
                db, where: "id = ? AND status = 'waiting'", [record.rawValue], lease: lease, at: timestamp, until: due,
                setting: "attempts = attempts + 1")
            return true
        }
    }

    public func claim(
        _ record: ReceiptRecord.ID, lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> Bool {
        try await database.write(.statements) { db in
            try JobQueueTable.receipts.claim(
                db, where: "id = ? AND status = 'waiting'", [record.rawValue], lease: lease, at: timestamp, until: end)
        }
    }

    public func receiptsDue(
        in publication: PublicationID, at timestamp: Date, limit: Int
    ) async throws -> [ReceiptRecord] {
        try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(ReceiptRow.columns) FROM receipt
                WHERE publication = ? AND status = 'waiting' AND \(DueDate.condition("due", set: "due_set"))
                ORDER BY due, id LIMIT ?
                """, [publication.rawValue] + DueDate.arguments(at: timestamp), limit: limit,
                for: "receipts due in \(publication)", name: { RowName.number($0, 0) }, read: ReceiptRow.record)
        }
    }

    public func receiptCounts(in publication: PublicationID) async throws -> ReceiptCounts {
        try await database.read { db in
            var stores: [StoreName: ReceiptCounts.Count] = [:]
            let rows = try db.rows(
                "SELECT store, status, count(*) FROM receipt WHERE publication = ? GROUP BY store, status",
                [publication.rawValue])
            for row in rows {
                // A row with an unreadable store counts for no store.
                guard let store = try? StateRow.name(row, 0, ReceiptRow.table, as: { StoreName($0) }) else { continue }
                let count = try StateRow.count(row, 2, ReceiptRow.table)
                switch try StateRow.text(row, 1, ReceiptRow.table) {
                case "waiting": stores[store, default: .init()].pending = count
                case "verified": stores[store, default: .init()].verified = count
                case "rejected": stores[store, default: .init()].rejected = count
                default: continue
                }
            }
            let since = try db.real(
                "SELECT min(received) FROM receipt WHERE publication = ? AND status = 'waiting'", [publication.rawValue]
            )
            return ReceiptCounts(stores: stores, pendingSince: since.map { Date(timeIntervalSince1970: $0) })
        }
    }
}
