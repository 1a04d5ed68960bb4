public import CSV
import Foundation
import Gatefold
import State
import Synchronization

extension SubscriberDatabase {
    /// The number of subscribers that an export reads at a time.
    private static let exportPage = 1_000

    /// Writes every subscriber to a file that ``SubscriberImport`` reads, from one consistent state of the
    /// database.
    ///
    /// Memory use is bounded, because the tables are read in pages in the order of the subscriber numbers.
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
        let hasBegun = Mutex(false)
        return try await store.read { db in
            // A lost connection repeats the transaction, but what was written stays.
            let isRepetition = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return hasBegun
            }
            if isRepetition {
                throw SubscriberDatabaseError.unavailable(reason: "the connection was lost during the export")
            }
            // The receiver may be slow.
            if let statement = db.dialect.allowsPauses { try db.execute(statement) }
            var writer = CSVWriter(separator: separator)
            writer.write([
                identifierColumn, "password_hash", "state", "message", "all_editions", "periods", "editions",
                "categories",
            ])
            var (count, last) = (0, Int64.min)
            while true {
                let records = try db.rows(
                    "SELECT \(SubscriberRow.columns) FROM subscriber WHERE id > ? ORDER BY id LIMIT ?",
                    [last, Self.exportPage]
                ).map { try SubscriberRow.record($0) }
                guard let end = records.last?.id else { break }
                let page = ExportPage(after: last, upTo: end)
                let periods = try page.cells(db, #"start, "end""#, of: "period", by: "start") {
                    PeriodFormat.write(try SubscriberRow.period($0, at: 1))
                }
                let editions = try page.cells(db, "edition", of: "edition", by: "edition") {
                    try SubscriberRow.edition($0, at: 1).rawValue
                }
                let categories = try page.cells(db, "scheme, value", of: "category", by: "scheme, value") {
                    ListFormat.write(try SubscriberRow.category($0, at: 1))
                }
                for record in records {
                    writer.write([
                        record.identifier, record.passwordHash ?? "", record.state.rawValue, record.message ?? "",
                        record.hasAllEditions ? "true" : "false", periods[record.id] ?? "",
                        editions[record.id] ?? "", categories[record.id] ?? "",
                    ])
                    if writer.count > 65536 { try write(writer.take()) }
                }
                count += records.count
                last = end
            }
            try write(writer.take())
            return count
        }
    }
}

/// A range of subscriber numbers whose entries in other tables are read together.
private struct ExportPage {
    let after: Int64
    let upTo: Int64

    /// Returns the cell of each subscriber that has entries.
    func cells(
        _ db: any StateTransaction, _ columns: String, of table: String, by order: String,
        write: (StateRow) throws -> String
    ) throws -> [Int64: String] {
        var cells: [Int64: String] = [:]
        try db.forEach(
            """
            SELECT subscriber, \(columns) FROM \(table)
            WHERE subscriber > ? AND subscriber <= ? ORDER BY subscriber, \(order)
            """, [after, upTo]
        ) { row in
            let owner = try SubscriberRow.integer(row, 0, table, "subscriber")
            let entry = try write(row)
            cells[owner] = cells[owner].map { $0 + ";" + entry } ?? entry
        }
        return cells
    }
}
