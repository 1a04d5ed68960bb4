public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func keep(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at moment: Date
    ) async throws -> ReceiptRecord {
        return try await pool.write { db in
            if let known = try ReceiptRow.find(db, receipt) {
                // One whose content was forgotten stays without it until it proves something: refused ones have no limit.
                return ReceiptRecord(
                    id: known.id, incoming: receipt, received: known.received, standing: known.standing)
            }
            try ReceiptRoom.make(db, for: receipt, within: limits, at: moment)
            return ReceiptRecord(
                id: try ReceiptRow.insert(db, receipt, at: moment, kept: self.now(db).moment), incoming: receipt,
                received: moment,
                standing: .waiting(attempts: 0))
        }
    }

    public func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal, at moment: Date) async throws {
        try await pool.write { db in try ReceiptRow.refuse(db, record, refusal, at: moment) }
    }

    public func giveUp(_ record: ReceiptRecord.ID, afterWaiting seconds: TimeInterval) async throws -> Bool {
        try await pool.write { db in
            try ReceiptRow.forget(db, record, keptBy: self.now(db).moment.addingTimeInterval(-seconds))
            return db.changesCount > 0
        }
    }

    /// Only what still waits: another process may have had its verdict meanwhile.
    public func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at moment: Date, until due: Date
    ) async throws -> Bool {
        try await pool.write { db in
            guard let receipt = try ReceiptRow.find(db, record) else { return false }
            if receipt.standing == .waiting(attempts: 0),
                try !ReceiptRoom.hasPlace(db, in: receipt.incoming.publication, within: limits)
            {
                try ReceiptRow.forget(db, record)
                return false
            }
            try WorkTable.receipts.rest(
                db, where: "id = ? AND standing = 'waiting'", [record.rawValue], lease: lease, at: moment, until: due,
                setting: "attempts = attempts + 1")
            return true
        }
    }

    public func claim(
        _ record: ReceiptRecord.ID, lease: [UInt8], at moment: Date, until end: Date
    ) async throws -> Bool {
        try await pool.write { db in
            try WorkTable.receipts.claim(
                db, where: "id = ? AND standing = 'waiting'", [record.rawValue], lease: lease, at: moment, until: end)
        }
    }

    public func receiptsDue(
        in publication: PublicationID, at moment: Date, limit: Int
    ) async throws -> [ReceiptRecord] {
        try await pool.read { db in
            try readable(
                db,
                """
                SELECT \(ReceiptRow.columns) FROM receipt
                WHERE publication = ? AND standing = 'waiting' AND \(DueMoment.condition("due", set: "due_set"))
                ORDER BY due, id LIMIT ?
                """, [publication.rawValue] + DueMoment.arguments(at: moment), limit: limit,
                for: "receipts due in \(publication)", name: { RowName.number($0, 0) }, read: ReceiptRow.record)
        }
    }

    public func standings(in publication: PublicationID) async throws -> ReceiptCounts {
        try await pool.read { db in
            var stores: [StoreName: ReceiptCounts.Count] = [:]
            let rows = try Row.fetchAll(
                db, sql: "SELECT store, standing, count(*) FROM receipt WHERE publication = ? GROUP BY store, standing",
                arguments: [publication.rawValue])
            for row in rows {
                // What is in a row that cannot be read counts for no store.
                guard let store = try? StateRow.name(row, 0, ReceiptRow.table, as: { StoreName($0) }) else { continue }
                let count = try StateRow.count(row, 2, ReceiptRow.table)
                switch try StateRow.text(row, 1, ReceiptRow.table) {
                case "waiting": stores[store, default: .init()].waiting = count
                case "proven": stores[store, default: .init()].proven = count
                case "refused": stores[store, default: .init()].refused = count
                default: continue
                }
            }
            let since = try Double.fetchOne(
                db, sql: "SELECT min(received) FROM receipt WHERE publication = ? AND standing = 'waiting'",
                arguments: [publication.rawValue])
            return ReceiptCounts(stores: stores, waitingSince: since.map { Date(timeIntervalSince1970: $0) })
        }
    }
}
