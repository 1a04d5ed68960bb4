import Foundation
import Gatefold
import State

/// Writes parsed rows inside the caller's transaction.
///
/// Every row stores the number of the import that last wrote it. A row with the current number occurred earlier in
/// the file. Rows without the current number at the end of the import were not in the file.
struct ImportWriter {
    enum Outcome {
        case added
        case replaced
        case duplicate
    }

    private let importID: Int64
    private let timestamp: Int64
    private let hasPasswords: Bool
    private let columns: ImportColumns
    /// The tables of which the file has a column.
    private let clearedTables: [String]

    init(importID: Int64, columns: ImportColumns, at timestamp: Date) {
        self.importID = importID
        self.timestamp = Milliseconds.of(timestamp)
        hasPasswords = columns.has(.password) || columns.has(.passwordHash)
        self.columns = columns
        clearedTables = [(ImportColumns.Column.periods, "period"), (.editions, "edition"), (.categories, "category")]
            .filter { columns.has($0.0) }.map { $0.1 }
    }

    func write(_ row: ImportRow, _ db: any StateTransaction) throws -> Outcome {
        let entries = SubscriberEntries(
            periods: row.periods, editions: Array(row.editions), categories: Array(row.categories))
        // A registration does not prove that the identifier belongs to the reader. If the file holds exactly the
        // stored hash, the operator already knows the reader, and the row is not replaced.
        let known = try db.row(
            "SELECT id, import, registered IS NOT NULL, password_hash FROM subscriber WHERE identifier = ?"
                + db.dialect.forUpdate, [row.identifier])
        guard let known else {
            let id = try db.inserted(
                """
                INSERT INTO subscriber (identifier, password_hash, state, message, all_editions, updated, import)
                VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
                """,
                [
                    row.identifier, row.passwordHash, row.state.rawValue, row.message, row.hasAllEditions, timestamp,
                    importID,
                ])
            try entries.insert(for: id, db)
            return .added
        }
        var id = try SubscriberRow.integer(known, 0, "subscriber", "id")
        if try SubscriberRow.optionalInteger(known, 1, "subscriber", "import") == importID { return .duplicate }
        let storedHash = try SubscriberRow.optionalText(known, 3, "subscriber", "password_hash")
        let isRegistered = try SubscriberRow.integer(known, 2, "subscriber", "registered") == 1
        if isRegistered, storedHash == nil || storedHash != row.passwordHash {
            id = try ImportReplacement.place(of: id, identifier: row.identifier, db)
        }
        try update(id, row, db)
        try SubscriberEntries.clear(of: id, in: clearedTables, db)
        try entries.insert(for: id, db)
        return .replaced
    }

    private func update(_ id: Int64, _ row: ImportRow, _ db: any StateTransaction) throws {
        var changes = ["updated = ?", "import = ?", "registered = NULL", SubscriberSchema.operatorOwnedAssignments]
        var values: StateArguments = [timestamp, importID]
        if hasPasswords {
            // An unchanged hash is not a new password: a password that the reader chose still counts as chosen.
            changes += [
                "password_hash = ?",
                "password_version = password_version + CASE WHEN password_hash IS DISTINCT FROM ? THEN 1 ELSE 0 END",
                "password_chosen = CASE WHEN password_hash IS DISTINCT FROM ? THEN NULL ELSE password_chosen END",
                "awaits_password = NULL",
            ]
            values += [row.passwordHash, row.passwordHash, row.passwordHash] as StateArguments
        }
        // Columns that the file does not have retain the stored values.
        if columns.has(.state) {
            changes.append("state = ?")
            values.append(row.state.rawValue)
        }
        if columns.has(.message) {
            changes.append("message = ?")
            values.append(row.message)
        }
        if columns.has(.allEditions) {
            changes.append("all_editions = ?")
            values.append(row.hasAllEditions)
        }
        try db.execute("UPDATE subscriber SET \(changes.joined(separator: ", ")) WHERE id = ?", values + [id])
    }
}
