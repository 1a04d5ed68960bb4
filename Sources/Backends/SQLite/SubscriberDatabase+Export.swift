public import CSV
import Foundation
import GRDB
import Gatefold
import SQLAccess

extension SubscriberDatabase {
    /// Writes every subscriber to a file that ``SubscriberImport`` reads, from one consistent state of the
    /// database.
    ///
    /// Memory use is bounded, because the four tables are read in parallel in the order of the subscriber numbers.
    /// Cells that a spreadsheet would execute are neutralised, see `SpreadsheetFormula`.
    ///
    /// - Parameters:
    ///   - separator: The separator of the columns. Default: a comma.
    ///   - identifierColumn: The name of the first column.
    ///   - write: Receives chunks of about 64 KiB.
    /// - Returns: The number of subscribers written.
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
                PeriodFormat.write(try SubscriberRow.period($0, at: 1))
            }
            let editions = try Children(db, "SELECT subscriber, edition FROM edition ORDER BY subscriber, edition") {
                try SubscriberRow.edition($0, at: 1).rawValue
            }
            let categories = try Children(
                db, "SELECT subscriber, scheme, value FROM category ORDER BY subscriber, scheme, value"
            ) {
                ListFormat.write(try SubscriberRow.category($0, at: 1))
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

/// The entries of another table for each subscriber, read once in the order of the subscriber numbers.
private final class Children {
    private let rows: RowCursor
    private let write: (Row) throws -> String
    private var next: Row?

    init(_ db: Database, _ sql: String, write: @escaping (Row) throws -> String) throws {
        rows = try Row.fetchCursor(db, sql: sql)
        self.write = write
        next = try rows.next()
    }

    /// Returns the cell of a subscriber, whose number must be greater than all numbers requested earlier.
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
