public import CSV
import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// Writes every subscriber as a file that ``SubscriberImport`` reads, in one consistent state of the database.
    ///
    /// Memory is bounded: the four tables are walked side by side in the order of the subscribers' numbers. Cells that a
    /// spreadsheet would run are neutralised, see `SpreadsheetFormula`.
    ///
    /// - Parameters:
    ///   - identifierColumn: the name of the first column.
    ///   - write: given about 64 KiB at a time.
    /// - Returns: how many subscribers were written.
    @discardableResult
    public func export(
        separator: CSVFormat.Separator = .comma, identifierColumn: String = "identifier",
        to write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Int {
        try await applyImport()
        return try await pool.read { db in
            var writer = CSVWriter(separator: separator)
            writer.write([
                identifierColumn, "password_hash", "state", "message", "all_editions", "periods", "editions",
                "categories",
            ])
            let periods = try Children(db, #"SELECT subscriber, start, "end" FROM period ORDER BY subscriber, start"#) {
                PeriodText.write(try SubscriberRow.period($0, at: 1))
            }
            let editions = try Children(db, "SELECT subscriber, edition FROM edition ORDER BY subscriber, edition") {
                try SubscriberRow.edition($0, at: 1).rawValue
            }
            let categories = try Children(
                db, "SELECT subscriber, scheme, value FROM category ORDER BY subscriber, scheme, value"
            ) {
                ListText.write(try SubscriberRow.category($0, at: 1))
            }
            let rows = try Row.fetchCursor(db, sql: "SELECT \(SubscriberRow.columns) FROM subscriber ORDER BY id")
            var count = 0
            while let row = try rows.next() {
                let record = try SubscriberRow.record(row)
                writer.write([
                    record.identifier, record.passwordHash ?? "", record.state.rawValue, record.message ?? "",
                    record.hasAllEditions ? "true" : "false", try periods.text(of: record.id),
                    try editions.text(of: record.id), try categories.text(of: record.id),
                ])
                count += 1
                if writer.count > 65536 { try write(writer.take()) }
            }
            try write(writer.take())
            return count
        }
    }
}

/// What another table holds for each subscriber, walked once in the subscribers' order.
private final class Children {
    private let rows: RowCursor
    private let write: (Row) throws -> String
    private var next: Row?

    init(_ db: Database, _ sql: String, write: @escaping (Row) throws -> String) throws {
        rows = try Row.fetchCursor(db, sql: sql)
        self.write = write
        next = try rows.next()
    }

    /// The cell of a subscriber whose number is greater than all asked for before.
    func text(of subscriber: Int64) throws -> String {
        var entries: [String] = []
        while let row = next {
            let owner = try SubscriberRow.integer(row, 0, "child", "subscriber")
            guard owner <= subscriber else { break }
            if owner == subscriber { entries.append(try write(row)) }
            next = try rows.next()
        }
        return entries.joined(separator: ";")
    }
}
