import Foundation
import GRDB
import Gatefold

/// Rows of table receipt.
enum ReceiptRow {
    static let table = "receipt"
    static let columns = """
        id, publication, store, owner, parts, credit_account, credit_price, credit_currency, received, standing, attempts,
        settled, reason, code
        """

    static func find(_ db: Database, _ receipt: IncomingReceipt) throws -> ReceiptRecord? {
        try Row.fetchOne(
            try db.cachedStatement(
                sql: "SELECT \(columns) FROM receipt WHERE publication = ? AND store = ? AND owner = ? AND digest = ?"),
            arguments: [
                receipt.publication.rawValue, receipt.store.rawValue, OwnerColumn.value(receipt.owner),
                Data(receipt.receipt.digest),
            ]
        ).map(record)
    }

    static func find(_ db: Database, _ id: ReceiptRecord.ID) throws -> ReceiptRecord? {
        try Row.fetchOne(db, sql: "SELECT \(columns) FROM receipt WHERE id = ?", arguments: [id.rawValue]).map(record)
    }

    /// - Parameter kept: the present by the store's clock.
    static func insert(
        _ db: Database, _ receipt: IncomingReceipt, at moment: Date, kept: Date
    ) throws -> ReceiptRecord.ID {
        let seconds = moment.timeIntervalSince1970
        let credit = receipt.credit
        let id = try Int64.fetchOne(
            try db.cachedStatement(
                sql: """
                    INSERT INTO receipt (
                        publication, store, owner, digest, parts, credit_account, credit_price, credit_currency,
                        received, standing, attempts, due, due_set, kept)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?) RETURNING id
                    """),
            arguments: [
                receipt.publication.rawValue, receipt.store.rawValue, OwnerColumn.value(receipt.owner),
                Data(receipt.receipt.digest), Data(receipt.receipt.encoded),
                try StateText.storable(ifAny: credit?.account, table),
                try StateText.storable(ifAny: credit?.price, table),
                try StateText.storable(ifAny: credit?.currency, table), seconds, seconds + inHand, seconds,
                kept.timeIntervalSince1970,
            ])
        guard let id else { throw StateStoreError.unreadableRow(table: table) }
        return ReceiptRecord.ID(id)
    }

    /// For so many seconds whoever handed a receipt in sees it through.
    private static let inHand: TimeInterval = 60

    /// Whether no claim refers to a receipt: with those that one does the store is asked about renewals.
    static let isUnclaimed = "NOT EXISTS (SELECT 1 FROM claim WHERE claim.receipt = receipt.id)"

    /// After the claims were written: one that none of them refers to keeps no content, and one that was forgotten has it
    /// again where one does.
    static func prove(
        _ db: Database, _ id: ReceiptRecord.ID, _ receipt: StoreReceipt, at moment: Date
    ) throws {
        try db.execute(
            sql: """
                UPDATE receipt SET standing = 'proven', settled = ?, reason = NULL, code = NULL,
                    parts = CASE WHEN \(isUnclaimed) THEN ? ELSE ? END
                WHERE id = ?
                """,
            arguments: [moment.timeIntervalSince1970, Data(), Data(receipt.encoded), id.rawValue])
    }

    /// - Parameter record: as it was read; one that was proven since stays proven.
    static func refuse(
        _ db: Database, _ record: ReceiptRecord, _ refusal: ReceiptRefusal, at moment: Date
    ) throws {
        var known: Date?
        if case .proven(let proven) = record.standing { known = proven }
        try db.execute(
            sql: """
                UPDATE receipt SET standing = 'refused', settled = ?, reason = ?, code = ?,
                    parts = CASE WHEN \(isUnclaimed) THEN ? ELSE parts END
                WHERE id = ? AND (standing <> 'proven' OR settled <= ?)
                """,
            arguments: [
                moment.timeIntervalSince1970, refusal.reason.rawValue, refusal.code.map { Int64($0) }, Data(),
                record.id.rawValue, known?.timeIntervalSince1970,
            ])
    }

    /// Only one that waits.
    ///
    /// - Parameter moment: only one that was kept by then, by the store's clock.
    static func forget(_ db: Database, _ id: ReceiptRecord.ID, keptBy moment: Date = .distantFuture) throws {
        try db.execute(
            sql: "DELETE FROM receipt WHERE id = ? AND standing = 'waiting' AND kept <= ?",
            arguments: [id.rawValue, moment.timeIntervalSince1970])
    }

    /// Forgets the owner's receipts that this one has made superfluous: anybody can vary a genuine receipt.
    static func deleteSuperseded(_ db: Database, by id: ReceiptRecord.ID, _ receipt: IncomingReceipt) throws {
        try db.execute(
            sql: """
                DELETE FROM receipt WHERE owner = ? AND publication = ? AND store = ? AND standing = 'proven'
                    AND id <> ? AND \(isUnclaimed)
                """,
            arguments: [
                OwnerColumn.value(receipt.owner), receipt.publication.rawValue, receipt.store.rawValue, id.rawValue,
            ])
    }

    static func record(_ row: Row) throws -> ReceiptRecord {
        ReceiptRecord(
            id: ReceiptRecord.ID(try StateRow.integer(row, 0, table)),
            incoming: IncomingReceipt(
                publication: try StateRow.name(row, 1, table) { PublicationID($0) },
                store: try StateRow.name(row, 2, table) { StoreName($0) },
                owner: try OwnerColumn.read(row, 3, table), receipt: try parts(row, 4, table), credit: try credit(row)),
            received: try StateRow.date(row, 8, table), standing: try standing(row))
    }

    static func parts(_ row: Row, _ index: Int, _ table: String) throws -> StoreReceipt {
        guard let receipt = StoreReceipt(encoded: try StateRow.bytes(row, index, table)) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return receipt
    }

    private static func credit(_ row: Row) throws -> Credit? {
        guard let account = try StateRow.optional(StateRow.text, row, 5, table) else { return nil }
        return Credit(
            account: account, price: try StateRow.optional(StateRow.text, row, 6, table),
            currency: try StateRow.optional(StateRow.text, row, 7, table))
    }

    private static func standing(_ row: Row) throws -> ReceiptRecord.Standing {
        switch try StateRow.text(row, 9, table) {
        case "waiting":
            return .waiting(attempts: try StateRow.count(row, 10, table))
        case "proven":
            return .proven(at: try StateRow.date(row, 11, table))
        case "refused":
            let reason = try StateRow.name(row, 12, table) { ReceiptRefusal.Reason(rawValue: $0) }
            let code = try StateRow.optional(StateRow.integer, row, 13, table)
            return .refused(
                ReceiptRefusal(reason, code: code.flatMap { Int(exactly: $0) }), at: try StateRow.date(row, 11, table))
        default:
            throw StateStoreError.unreadableRow(table: table)
        }
    }
}

/// Owners in rows: what belongs to nobody has an empty one, so that it is unique, too.
enum OwnerColumn {
    static func value(_ owner: PurchaseOwner?) -> Data { Data(owner?.bytes ?? []) }

    static func read(_ row: Row, _ index: Int, _ table: String) throws -> PurchaseOwner? {
        let bytes = try StateRow.bytes(row, index, table)
        if bytes.isEmpty { return nil }
        guard let owner = PurchaseOwner(bytes: bytes) else { throw StateStoreError.unreadableRow(table: table) }
        return owner
    }
}
