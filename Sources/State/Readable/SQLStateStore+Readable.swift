import Commerce

extension SQLStateStore {
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
        _ db: any StateTransaction, _ sql: String, _ arguments: StateArguments, limit: Int, for purpose: String?,
        name: (StateRow) -> String, read: (StateRow) throws -> Value?
    ) throws -> [Value] {
        let limit = max(0, limit)
        var batchSize = limit
        while true {
            let rows = try db.rows(sql, arguments + [batchSize])
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
    static func number(_ row: StateRow, _ index: Int) -> String {
        switch row.values[index] {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): "\"\(value)\""
        case .bytes(let value): "\(value.count) bytes"
        }
    }

    /// Returns a reference made of the first two columns, the store and the store's identifier, like
    /// ``Gatefold/Delivery/ID/reference``.
    static func reference(_ row: StateRow) -> String {
        guard case .text(let name) = row.values[0], let store = StoreName(name), case .text(let id) = row.values[1]
        else { return "of no store" }
        return Delivery.ID(store: store, transaction: id).reference
    }
}
