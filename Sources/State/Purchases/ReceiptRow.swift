import Commerce
import Foundation
import Gatefold

/// Rows of the table `receipt`.
enum ReceiptRow {
    static let table = "receipt"
    static let columns = """
        id, publication, store, owner, parts, credit_account, credit_price, credit_currency, received, status, attempts,
        settled, reason, code
        """

    static func find(_ db: any StateTransaction, _ receipt: IncomingReceipt) throws -> ReceiptRecord? {
        try db.row(
            "SELECT \(columns) FROM receipt WHERE publication = ? AND store = ? AND owner = ? AND digest = ?",
            [
                receipt.publication.rawValue, receipt.store.rawValue, OwnerColumn.value(receipt.owner),
                Data(receipt.receipt.digest),
            ]
        ).map(record)
    }

    static func find(_ db: any StateTransaction, _ id: ReceiptRecord.ID) throws -> ReceiptRecord? {
        try db.row("SELECT \(columns) FROM receipt WHERE id = ?", [id.rawValue]).map(record)
    }

    /// - Parameter stored: The current time of the store's clock.
    static func insert(
        _ db: any StateTransaction, _ receipt: IncomingReceipt, at timestamp: Date, stored: Date
    ) throws -> ReceiptRecord.ID {
        let seconds = timestamp.timeIntervalSince1970
        let credit = receipt.credit
        let id = try db.integer(
            """
            INSERT INTO receipt (
                publication, store, owner, digest, parts, credit_account, credit_price, credit_currency,
                received, status, attempts, due, due_set, stored)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?) RETURNING id
            """,
            [
                receipt.publication.rawValue, receipt.store.rawValue, OwnerColumn.value(receipt.owner),
                Data(receipt.receipt.digest), Data(receipt.receipt.encoded),
                try StateText.storable(ifAny: credit?.account, table),
                try StateText.storable(ifAny: credit?.price, table),
                try StateText.storable(ifAny: credit?.currency, table), seconds, seconds + retryDelay, seconds,
                stored.timeIntervalSince1970,
            ])
        guard let id else { throw StateStoreError.unreadableRow(table: table) }
        return ReceiptRecord.ID(id)
    }

    /// The time in seconds that the process that accepted a receipt has to complete it.
    private static let retryDelay: TimeInterval = 60

    /// The condition that no claim refers to a receipt. The receipts of claims are used to query the store about
    /// renewals.
    static let isUnclaimed = "NOT EXISTS (SELECT 1 FROM claim WHERE claim.receipt = receipt.id)"

    /// Marks a receipt as proven, after its claims were written. A receipt without claims loses its content; a
    /// receipt with claims has its content restored.
    static func setVerified(
        _ db: any StateTransaction, _ id: ReceiptRecord.ID, _ receipt: StoreReceipt, at timestamp: Date
    ) throws {
        try db.execute(
            """
            UPDATE receipt SET status = 'verified', settled = ?, reason = NULL, code = NULL,
                parts = CASE WHEN \(isUnclaimed) THEN ? ELSE ? END
            WHERE id = ?
            """, [timestamp.timeIntervalSince1970, Data(), Data(receipt.encoded), id.rawValue])
    }

    /// - Parameter record: The record as it was read. A receipt that was proven since stays proven.
    static func reject(
        _ db: any StateTransaction, _ record: ReceiptRecord, _ rejection: ReceiptRejection, at timestamp: Date
    ) throws {
        var known: Date?
        if case .verified(let verified) = record.status { known = verified }
        try db.execute(
            """
            UPDATE receipt SET status = 'rejected', settled = ?, reason = ?, code = ?,
                parts = CASE WHEN \(isUnclaimed) THEN ? ELSE parts END
            WHERE id = ? AND (status <> 'verified' OR settled <= ?)
            """,
            [
                timestamp.timeIntervalSince1970, rejection.reason.rawValue, rejection.code.map { Int64($0) }, Data(),
                record.id.rawValue, known?.timeIntervalSince1970,
            ])
    }

    /// Deletes a receipt, but only if it is still pending.
    ///
    /// - Parameter timestamp: The latest storage time, by the store's clock, of a receipt to be deleted.
    /// - Returns: True if it was deleted.
    @discardableResult
    static func delete(
        _ db: any StateTransaction, _ id: ReceiptRecord.ID, storedBy timestamp: Date = .distantFuture
    ) throws -> Bool {
        try db.execute(
            "DELETE FROM receipt WHERE id = ? AND status = 'waiting' AND stored <= ?",
            [id.rawValue, timestamp.timeIntervalSince1970]) > 0
    }

    /// Deletes the owner's receipts that this receipt supersedes, because any client can vary a genuine receipt.
    static func deleteSuperseded(_ db: any StateTransaction, by id: ReceiptRecord.ID, _ receipt: IncomingReceipt) throws
    {
        try db.execute(
            """
            DELETE FROM receipt WHERE owner = ? AND publication = ? AND store = ? AND status = 'verified'
                AND id <> ? AND \(isUnclaimed)
            """,
            [
                OwnerColumn.value(receipt.owner), receipt.publication.rawValue, receipt.store.rawValue, id.rawValue,
            ])
    }

    static func record(_ row: StateRow) throws -> ReceiptRecord {
        ReceiptRecord(
            id: ReceiptRecord.ID(try StateRow.integer(row, 0, table)),
            incoming: IncomingReceipt(
                publication: try StateRow.name(row, 1, table) { PublicationID($0) },
                store: try StateRow.name(row, 2, table) { StoreName($0) },
                owner: try OwnerColumn.read(row, 3, table), receipt: try parts(row, 4, table), credit: try credit(row)),
            received: try StateRow.date(row, 8, table), status: try status(row))
    }

    static func parts(_ row: StateRow, _ index: Int, _ table: String) throws -> StoreReceipt {
        guard let receipt = StoreReceipt(encoded: try StateRow.bytes(row, index, table)) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return receipt
    }

    private static func credit(_ row: StateRow) throws -> Credit? {
        guard let account = try StateRow.optional(StateRow.text, row, 5, table) else { return nil }
        return Credit(
            account: account, price: try StateRow.optional(StateRow.text, row, 6, table),
            currency: try StateRow.optional(StateRow.text, row, 7, table))
    }

    private static func status(_ row: StateRow) throws -> ReceiptRecord.ReceiptStatus {
        switch try StateRow.text(row, 9, table) {
        // The name that the frozen schema uses for pending receipts.
        case "waiting":
            return .pending(attempts: try StateRow.count(row, 10, table))
        case "verified":
            return .verified(at: try StateRow.date(row, 11, table))
        case "rejected":
            let reason = try StateRow.name(row, 12, table) { ReceiptRejection.Reason(rawValue: $0) }
            let code = try StateRow.optional(StateRow.integer, row, 13, table)
            return .rejected(
                ReceiptRejection(reason, code: code.flatMap { Int(exactly: $0) }), at: try StateRow.date(row, 11, table)
            )
        default:
            throw StateStoreError.unreadableRow(table: table)
        }
    }
}

/// Owners in rows. A row without an owner has an empty value, so that uniqueness applies to it too.
enum OwnerColumn {
    static func value(_ owner: PurchaseOwner?) -> Data { Data(owner?.bytes ?? []) }

    static func read(_ row: StateRow, _ index: Int, _ table: String) throws -> PurchaseOwner? {
        let bytes = try StateRow.bytes(row, index, table)
        if bytes.isEmpty { return nil }
        guard let owner = PurchaseOwner(bytes: bytes) else { throw StateStoreError.unreadableRow(table: table) }
        return owner
    }
}
