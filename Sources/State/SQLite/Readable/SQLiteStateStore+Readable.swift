import Commerce
import GRDB

extension SQLiteStateStore {
    /// Returns the readable rows of a query, up to a limit. Unreadable rows are skipped and recorded in
    /// ``unreadable``. They do not count towards the limit, so that no number of unreadable rows can block a queue.
    ///
    /// - Parameters:
    ///   - sql: A query that ends with `LIMIT ?`.
    ///   - arguments: All arguments except the last.
    ///   - purpose: The name of the query; nil if another query finds the same rows.
    ///   - name: Returns the name of a row for logs.
    ///   - read: Decodes a row. Throws ``StateStoreError`` for an unreadable row; returns nil for a row that does
    ///     not count.
    func readable<Value>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments, limit: Int, for purpose: String?,
        name: (Row) -> String, read: (Row) throws -> Value?
    ) throws -> [Value] {
        let limit = max(0, limit)
        let statement = try db.cachedStatement(sql: sql)
        var batchSize = limit
        while true {
            let rows = try Row.fetchAll(statement, arguments: arguments + [batchSize])
            var values: [Value] = []
            var skipped: [String: Set<String>] = [:]
            for row in rows where values.count < limit {
                do {
                    if let value = try read(row) { values.append(value) }
                } catch let error as StateStoreError {
                    skipped[error.table, default: []].insert(name(row))
                }
            }
            if values.count == limit || rows.count < batchSize || skipped.isEmpty {
                if let purpose { unreadable.record(skipped, for: purpose) }
                return values
            }
            batchSize *= 2
        }
    }
}

/// Names of rows for logs, available even for rows with unreadable content.
enum RowName {
    /// Returns the number that the store assigned to the row.
    static func number(_ row: Row, _ index: Int) -> String {
        let value: DatabaseValue = row[index]
        return value.description
    }

    /// Returns a reference made of the first two columns, the store and the store's identifier, like
    /// ``Gatefold/Delivery/ID/reference``.
    static func reference(_ row: Row) -> String {
        let (store, id): (DatabaseValue, DatabaseValue) = (row[0], row[1])
        guard let store = String.fromDatabaseValue(store).flatMap({ StoreName($0) }),
            let id = String.fromDatabaseValue(id)
        else { return "of no store" }
        return Delivery.ID(store: store, transaction: id).reference
    }
}
