import Foundation
import GRDB

/// An active all-or-nothing import whose staged rows are being applied to the subscriber tables.
///
/// Short transactions stage the rows first. One further transaction activates all of them at once. Afterwards, each
/// read or change of a subscriber first applies the row of that subscriber, and the import applies the remaining
/// rows batch by batch. Readers therefore see either the former subscribers or the new ones, and no writer waits
/// for more than one batch.
struct ActiveImport {
    /// The state that is stored with the import.
    private struct Settings: Codable {
        let columns: [String]
        let replaces: Bool
        let appliedAt: Int64
        /// The greatest subscriber number when the import became active. Subscribers with a greater number are not
        /// removed.
        let last: Int64
        /// The greatest subscriber number that the removal has checked.
        var removed: Int64 = 0
    }

    let id: Int64
    private var settings: Settings

    /// Returns the active import that is not applied completely; nil most of the time.
    static func current(_ db: Database) throws -> ActiveImport? {
        guard
            let row = try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT id, applied FROM import WHERE applied > '' LIMIT 1"))
        else { return nil }
        guard let text = try SubscriberRow.optionalText(row, 1, "import", "applied"),
            let settings = try? JSONDecoder().decode(Settings.self, from: Data(text.utf8))
        else { throw UnreadableRow(table: "import", column: "applied") }
        return ActiveImport(id: try SubscriberRow.integer(row, 0, "import", "id"), settings: settings)
    }

    /// Activates the staged rows of an import, in the caller's transaction.
    static func begin(_ id: Int64, columns: ImportColumns, isReplacing: Bool, at appliedAt: Date, _ db: Database) throws
    {
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM subscriber") ?? 0
        var applied = ActiveImport(
            id: id,
            settings: Settings(
                columns: columns.all.map(\.rawValue), replaces: isReplacing, appliedAt: Milliseconds.of(appliedAt),
                last: last
            ))
        if !isReplacing { applied.settings.removed = last }
        try applied.save(db)
    }

    private func save(_ db: Database) throws {
        let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        try db.execute(sql: "UPDATE import SET applied = ? WHERE id = ?", arguments: [text, id])
    }

    private func columns() throws -> ImportColumns {
        try ImportColumns(header: settings.columns, identifierName: ImportColumns.Column.identifier.rawValue)
    }

    // MARK: - One subscriber

    /// The effect of the import on an identifier.
    enum ImportEffect {
        /// No pending change.
        case nothing
        /// The identifier is not in the file.
        case removed
        case row(ImportRow, hasPasswords: Bool)
    }

    func effect(on identifier: String, _ db: Database) throws -> ImportEffect {
        if let row = try staged(identifier, db) {
            let columns = try columns()
            return .row(row, hasPasswords: columns.has(.password) || columns.has(.passwordHash))
        }
        guard settings.removed < settings.last else { return .nothing }
        let hasRows = try Bool.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM subscriber
                        WHERE identifier = ? AND import IS NOT ? AND registered IS NULL AND id <= ?)
                    """),
            arguments: [identifier, id, settings.last])
        return hasRows == true ? .removed : .nothing
    }

    private func staged(_ identifier: String, _ db: Database) throws -> ImportRow? {
        try Data.fetchOne(
            try db.cachedStatement(sql: "SELECT row FROM staged WHERE import = ? AND identifier = ?"),
            arguments: [id, identifier]
        ).map { try Self.decode($0, identifier) }
    }

    private static func decode(_ data: Data, _ identifier: String) throws -> ImportRow {
        guard let row = try? JSONDecoder().decode(StagedRow.self, from: data) else {
            throw UnreadableRow(table: "staged", column: "row")
        }
        return try row.row(of: identifier)
    }

    /// Returns whether the active import has a pending change for an identifier.
    static func hasPendingRow(_ identifier: String, _ db: Database) throws -> Bool {
        guard let applied = try current(db) else { return false }
        if case .nothing = try applied.effect(on: identifier, db) { return false }
        return true
    }

    /// Applies the row of an identifier, in the caller's transaction.
    static func settle(_ identifier: String, _ db: Database) throws {
        guard let applied = try current(db) else { return }
        switch try applied.effect(on: identifier, db) {
        case .nothing: return
        case .removed:
            try db.execute(sql: "DELETE FROM subscriber WHERE identifier = ?", arguments: [identifier])
            try applied.count(removed: 1, db)
        case .row(let row, _):
            try applied.move([row], db)
        }
    }

    /// Applies the row of a subscriber's number, in the caller's transaction.
    static func settle(id: Int64, _ db: Database) throws {
        guard try current(db) != nil,
            let identifier = try String.fetchOne(
                db, sql: "SELECT identifier FROM subscriber WHERE id = ?", arguments: [id])
        else { return }
        try settle(identifier, db)
    }

    // MARK: - All of them

    /// Applies a batch of rows, in the caller's transaction.
    ///
    /// - Returns: Whether more rows may be pending.
    func advance(_ limit: Int, _ db: Database) throws -> Bool {
        let rows = try Row.fetchAll(
            // The plus makes SQLite read in the order of the rows, so that it does not sort again for each batch.
            db, sql: "SELECT identifier, row FROM staged WHERE +import = ? ORDER BY sequence LIMIT ?",
            arguments: [id, limit]
        ).map { row -> ImportRow in
            guard let identifier = try SubscriberRow.optionalText(row, 0, "staged", "identifier"),
                let data: Data = row[1]
            else { throw UnreadableRow(table: "staged", column: "row") }
            return try Self.decode(data, identifier)
        }
        if !rows.isEmpty {
            try move(rows, db)
            return true
        }
        guard settings.removed < settings.last else { return false }
        var next = self
        let (end, removed) = try ImportRemoval.remove(
            excluding: id, after: settings.removed, upTo: settings.last, limit: limit, db)
        next.settings.removed = end
        try next.save(db)
        if removed > 0 { try count(removed: removed, db) }
        return end < settings.last
    }

    private func move(_ rows: [ImportRow], _ db: Database) throws {
        let writer = try ImportWriter(
            db, importID: id, columns: try columns(), at: Milliseconds.date(settings.appliedAt))
        let delete = try db.cachedStatement(sql: "DELETE FROM staged WHERE import = ? AND identifier = ?")
        var (added, replaced) = (0, 0)
        for row in rows {
            switch try writer.write(row) {
            case .added: added += 1
            case .replaced: replaced += 1
            case .duplicate: break
            }
            try delete.execute(arguments: [id, row.identifier])
        }
        try db.execute(
            sql: "UPDATE import SET added = added + ?, replaced = replaced + ? WHERE id = ?",
            arguments: [added, replaced, id])
    }

    private func count(removed: Int, _ db: Database) throws {
        try db.execute(sql: "UPDATE import SET removed = removed + ? WHERE id = ?", arguments: [removed, id])
    }

    /// Deletes an import whose rows are all applied.
    func finish(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
    }
}
