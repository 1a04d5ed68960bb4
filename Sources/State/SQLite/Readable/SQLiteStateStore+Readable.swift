import GRDB
import Gatefold

extension SQLiteStateStore {
    /// The rows of a query that can be read, up to a limit. The others are passed over and noted in ``unreadable``; they take
    /// no place of those that can be read, so that no number of them blocks a queue.
    ///
    /// - Parameters:
    ///   - sql: a query that ends with `LIMIT ?`.
    ///   - arguments: all but the last.
    ///   - purpose: names the query; nil where another one finds the same rows.
    ///   - name: names a row in logs.
    ///   - read: throws ``StateStoreError`` for a row that cannot be read; nil for one that does not count.
    func readable<Value>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments, limit: Int, for purpose: String?,
        name: (Row) -> String, read: (Row) throws -> Value?
    ) throws -> [Value] {
        let limit = max(0, limit)
        let statement = try db.cachedStatement(sql: sql)
        var most = limit
        while true {
            let rows = try Row.fetchAll(statement, arguments: arguments + [most])
            var values: [Value] = []
            var passedOver: [String: Set<String>] = [:]
            for row in rows where values.count < limit {
                do {
                    if let value = try read(row) { values.append(value) }
                } catch let error as StateStoreError {
                    passedOver[error.table, default: []].insert(name(row))
                }
            }
            if values.count == limit || rows.count < most || passedOver.isEmpty {
                if let purpose { unreadable.note(passedOver, for: purpose) }
                return values
            }
            most *= 2
        }
    }
}

/// What names rows in logs, whatever is in them.
enum RowName {
    /// By a number that the store gave it.
    static func number(_ row: Row, _ index: Int) -> String {
        let value: DatabaseValue = row[index]
        return value.description
    }

    /// By the first two columns, a store and what it calls something, as ``Gatefold/Delivery/ID/reference`` does.
    static func reference(_ row: Row) -> String {
        let (store, id): (DatabaseValue, DatabaseValue) = (row[0], row[1])
        guard let store = String.fromDatabaseValue(store).flatMap({ StoreName($0) }),
            let id = String.fromDatabaseValue(id)
        else { return "of no store" }
        return Delivery.ID(store: store, transaction: id).reference
    }
}
