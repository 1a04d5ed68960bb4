import Gatefold
import State

/// The rows of a subscriber in the tables of periods, editions and categories.
struct SubscriberEntries {
    static let tables = ["period", "edition", "category"]

    let periods: [Period]
    let editions: [EditionID]
    let categories: [UserInfoCategory]

    /// Deletes the rows of a subscriber in the named tables.
    static func clear(of id: Int64, in tables: [String], _ db: any StateTransaction) throws {
        for table in tables { try db.execute("DELETE FROM \(table) WHERE subscriber = ?", [id]) }
    }

    func insert(for id: Int64, _ db: any StateTransaction) throws {
        for period in periods {
            try db.execute(
                #"INSERT INTO period (subscriber, start, "end") VALUES (?, ?, ?)"#,
                [id, Milliseconds.of(period.start), period.end.map(Milliseconds.of)])
        }
        for edition in editions {
            try db.execute("INSERT INTO edition (subscriber, edition) VALUES (?, ?)", [id, edition.rawValue])
        }
        for category in categories {
            try db.execute(
                "INSERT INTO category (subscriber, scheme, value) VALUES (?, ?, ?)",
                [id, category.scheme, category.value])
        }
    }
}

extension StateTransaction {
    /// Runs a statement that inserts a row and returns its number.
    func inserted(_ sql: String, _ arguments: StateArguments) throws -> Int64 {
        guard let id = try integer(sql, arguments) else { throw UnreadableRow(table: "subscriber", column: "id") }
        return id
    }
}
