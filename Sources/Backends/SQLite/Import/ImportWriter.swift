import Foundation
import GRDB
import Gatefold

/// Writes understood rows with prepared statements, inside the caller's transaction.
///
/// Every row carries the number of the import that wrote it last: a row that already has the present number stood in the
/// file before, and those that do not have it at the end were not in the file.
struct ImportWriter {
    enum Outcome {
        case added
        case replaced
        case duplicate
    }

    private let importID: Int64
    private let moment: Int64
    private let columns: ImportColumns
    private let find: Statement
    private let takeOver: ImportTakeover
    private let insert: Statement
    private let update: Statement
    private let clear: [Statement]
    private let insertPeriod: Statement
    private let insertEdition: Statement
    private let insertCategory: Statement
    private let db: Database

    init(_ db: Database, importID: Int64, columns: ImportColumns, at moment: Date) throws {
        self.db = db
        self.importID = importID
        self.moment = Milliseconds.of(moment)
        self.columns = columns
        // That an identifier is theirs was never shown by who registered it; a file with the very hash that is stored has them
        // as they are.
        find = try db.makeStatement(
            sql: """
                SELECT id, import, registered IS NOT NULL AND (password_hash IS NULL OR password_hash IS NOT ?2)
                FROM subscriber WHERE identifier = ?1
                """)
        takeOver = try ImportTakeover(db)
        insert = try db.makeStatement(
            sql: """
                INSERT INTO subscriber (identifier, password_hash, state, message, all_editions, updated, import)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        // A column that the file does not have keeps what is stored.
        var changes = ["updated = ?5", "import = ?6", "registered = NULL", SubscriberSchema.isOperators]
        if columns.has(.password) || columns.has(.passwordHash) {
            // The same hash again is no new password: whoever chose it still did.
            changes += [
                "password_hash = ?1", "password_version = password_version + (password_hash IS NOT ?1)",
                "chosen = CASE WHEN password_hash IS ?1 THEN chosen END", "awaits_choice = NULL",
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
                id = try takeOver.place(of: id, identifier: row.identifier)
            }
            try update.execute(arguments: [
                row.passwordHash, row.state.rawValue, row.message, row.hasAllEditions ? 1 : 0, moment, importID, id,
            ])
            for statement in clear { try statement.execute(arguments: [id]) }
            outcome = .replaced
        } else {
            try insert.execute(arguments: [
                row.identifier, row.passwordHash, row.state.rawValue, row.message, row.hasAllEditions ? 1 : 0, moment,
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
