import Foundation
import GRDB

/// An import of all or nothing that is in force, while its rows are brought to where they are read.
///
/// The rows are staged first, in short transactions. One more puts all of them in force at once: from then on whoever reads
/// or changes a subscriber brings that one's row over first, and the import brings over the others, batch by batch. So readers
/// see either the former subscribers or the new ones, and no writer waits for more than a batch.
struct AppliedImport {
    /// What is kept of it with the import.
    private struct Settings: Codable {
        let columns: [String]
        let replaces: Bool
        let moment: Int64
        /// The greatest number of a subscriber when it came into force: later ones are not removed.
        let last: Int64
        /// Subscribers up to this number were looked at.
        var removed: Int64 = 0
    }

    let id: Int64
    private var settings: Settings

    /// The import in force that is not whole yet; nil most of the time.
    static func current(_ db: Database) throws -> AppliedImport? {
        guard
            let row = try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT id, applied FROM import WHERE applied > '' LIMIT 1"))
        else { return nil }
        guard let text = try SubscriberRow.optionalText(row, 1, "import", "applied"),
            let settings = try? JSONDecoder().decode(Settings.self, from: Data(text.utf8))
        else { throw UnreadableRow(table: "import", column: "applied") }
        return AppliedImport(id: try SubscriberRow.integer(row, 0, "import", "id"), settings: settings)
    }

    /// Puts the staged rows of an import in force, in the caller's transaction.
    static func begin(_ id: Int64, columns: ImportColumns, isReplacing: Bool, at moment: Date, _ db: Database) throws {
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM subscriber") ?? 0
        var applied = AppliedImport(
            id: id,
            settings: Settings(
                columns: columns.all.map(\.rawValue), replaces: isReplacing, moment: Milliseconds.of(moment), last: last
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

    /// What the import says of an identifier.
    enum Word {
        /// Nothing that is not where it is read.
        case nothing
        /// They are not in the file.
        case removed
        case row(ImportRow, hasPasswords: Bool)
    }

    func word(on identifier: String, _ db: Database) throws -> Word {
        if let row = try staged(identifier, db) {
            let columns = try columns()
            return .row(row, hasPasswords: columns.has(.password) || columns.has(.passwordHash))
        }
        guard settings.removed < settings.last else { return .nothing }
        let isLeft = try Bool.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM subscriber
                        WHERE identifier = ? AND import IS NOT ? AND registered IS NULL AND id <= ?)
                    """),
            arguments: [identifier, id, settings.last])
        return isLeft == true ? .removed : .nothing
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

    /// Whether the row of an identifier is not what the import in force says.
    static func concerns(_ identifier: String, _ db: Database) throws -> Bool {
        guard let applied = try current(db) else { return false }
        if case .nothing = try applied.word(on: identifier, db) { return false }
        return true
    }

    /// Brings the row of an identifier over, in the caller's transaction.
    static func settle(_ identifier: String, _ db: Database) throws {
        guard let applied = try current(db) else { return }
        switch try applied.word(on: identifier, db) {
        case .nothing: return
        case .removed:
            try db.execute(sql: "DELETE FROM subscriber WHERE identifier = ?", arguments: [identifier])
            try applied.count(removed: 1, db)
        case .row(let row, _):
            try applied.move([row], db)
        }
    }

    /// The same for a subscriber's number.
    static func settle(id: Int64, _ db: Database) throws {
        guard try current(db) != nil,
            let identifier = try String.fetchOne(
                db, sql: "SELECT identifier FROM subscriber WHERE id = ?", arguments: [id])
        else { return }
        try settle(identifier, db)
    }

    // MARK: - All of them

    /// Brings some rows over, in the caller's transaction.
    ///
    /// - Returns: whether there may be more.
    func advance(_ most: Int, _ db: Database) throws -> Bool {
        let rows = try Row.fetchAll(
            // The plus keeps SQLite to the order of the rows: nothing is sorted anew for each batch.
            db, sql: "SELECT identifier, row FROM staged WHERE +import = ? ORDER BY sequence LIMIT ?",
            arguments: [id, most]
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
            besides: id, after: settings.removed, upTo: settings.last, most: most, db)
        next.settings.removed = end
        try next.save(db)
        if removed > 0 { try count(removed: removed, db) }
        return end < settings.last
    }

    private func move(_ rows: [ImportRow], _ db: Database) throws {
        let writer = try ImportWriter(
            db, importID: id, columns: try columns(), at: Milliseconds.date(settings.moment))
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

    /// Forgets an import whose rows are all where they are read.
    func finish(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
    }
}
