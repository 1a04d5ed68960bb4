import Foundation
import GRDB
import Gatefold

/// Writes parsed rows with prepared statements, inside the caller's transaction.
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
    private let columns: ImportColumns
    private let find: Statement
    private let replacement: ImportReplacement
    private let insert: Statement
    private let update: Statement
    private let clear: [Statement]
    private let insertPeriod: Statement
    private let insertEdition: Statement
    private let insertCategory: Statement
    private let db: Database

    init(_ db: Database, importID: Int64, columns: ImportColumns, at timestamp: Date) throws {
        self.db = db
        self.importID = importID
        self.timestamp = Milliseconds.of(timestamp)
        self.columns = columns
        // A registration does not prove that the identifier belongs to the reader. If the file holds exactly the
        // stored hash, the operator already knows the reader, and the row is not replaced.
        find = try db.makeStatement(
            sql: """
                SELECT id, import, registered IS NOT NULL AND (password_hash IS NULL OR password_hash IS NOT ?2)
                FROM subscriber WHERE identifier = ?1
                """)
        replacement = try ImportReplacement(db)
        insert = try db.makeStatement(
            sql: """
                INSERT INTO subscriber (identifier, password_hash, state, message, all_editions, updated, import)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        // Columns that the file does not have retain the stored values.
        var changes = ["updated = ?5", "import = ?6", "registered = NULL", SubscriberSchema.operatorOwnedAssignments]
        if columns.has(.password) || columns.has(.passwordHash) {
            // An unchanged hash is not a new password: a password that the reader chose still counts as chosen.
            changes += [
                "password_hash = ?1", "password_version = password_version + (password_hash IS NOT ?1)",
                "password_chosen = CASE WHEN password_hash IS ?1 THEN password_chosen END", "awaits_password = NULL",
            ]
        }
        if columns.has(.state) { changes.append("state = ?2") }
        if columns.has(.message) { changes.append("message = ?3") }
        if columns.has(.allEditions) { changes.append("all_editions = ?4") }
        update = try db.makeStatement(
            sql: "UPDATE subscriber SET \(changes.joined(separator: ", ")) WHERE id = ?7")
        clear = try [(ImportColumns.Column.periods, "period"), (.editions, "edition"), (.categories, "category")]
            .filter { columns.has($0.0) }
            .map { try db.makeStatement(sql: "DELETE FROM \($0.1) WHERE subscriber = ?") }
        insertPeriod = try db.makeStatement(sql: #"INSERT INTO period (subscriber, start, "end") VALUES (?, ?, ?)"#)
        insertEdition = try db.makeStatement(sql: "INSERT INTO edition (subscriber, edition) VALUES (?, ?)")
        insertCategory = try db.makeStatement(sql: "INSERT INTO category (subscriber, scheme, value) VALUES (?, ?, ?)")
    }

    func write(_ row: ImportRow) throws -> Outcome {
        let outcome: Outcome
        var id: Int64
        if let known = try Row.fetchOne(find, arguments: [row.identifier, row.passwordHash]) {
            id = try SubscriberRow.integer(known, 0, "subscriber", "id")
            let written: DatabaseValue = known[1]
            if written == importID.databaseValue { return .duplicate }
            if try SubscriberRow.integer(known, 2, "subscriber", "registered") == 1 {
                id = try replacement.place(of: id, identifier: row.identifier)
            }
            try update.execute(arguments: [
                row.passwordHash, row.state.rawValue, row.message, row.hasAllEditions ? 1 : 0, timestamp, importID, id,
            ])
            for statement in clear { try statement.execute(arguments: [id]) }
            outcome = .replaced
        } else {
            try insert.execute(arguments: [
                row.identifier, row.passwordHash, row.state.rawValue, row.message, row.hasAllEditions ? 1 : 0,
                timestamp,
                importID,
            ])
            id = db.lastInsertedRowID
            outcome = .added
        }
        for period in row.periods {
            try insertPeriod.execute(arguments: [
                id, Milliseconds.of(period.start), period.end.map(Milliseconds.of),
            ])
        }
        for edition in row.editions { try insertEdition.execute(arguments: [id, edition.rawValue]) }
        for category in row.categories {
            try insertCategory.execute(arguments: [id, category.scheme, category.value])
        }
        return outcome
    }
}
