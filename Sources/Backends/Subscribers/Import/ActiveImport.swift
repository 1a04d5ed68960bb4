import Foundation
import State

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
    static func current(_ db: any StateTransaction) throws -> ActiveImport? {
        try db.row("SELECT id, applied FROM import WHERE applied > '' LIMIT 1").map(decode)
    }

    /// Decodes the columns id and applied of an active import.
    private static func decode(_ row: StateRow) throws -> ActiveImport {
        guard let text = try SubscriberRow.optionalText(row, 1, "import", "applied"),
            let settings = try? JSONDecoder().decode(Settings.self, from: Data(text.utf8))
        else { throw UnreadableRow(table: "import", column: "applied") }
        return ActiveImport(id: try SubscriberRow.integer(row, 0, "import", "id"), settings: settings)
    }

    /// Activates the staged rows of an import, in the caller's transaction.
    static func begin(
        _ id: Int64, columns: ImportColumns, isReplacing: Bool, at appliedAt: Date, _ db: any StateTransaction
    ) throws {
        let last = try db.integer("SELECT max(id) FROM subscriber") ?? 0
        var applied = ActiveImport(
            id: id,
            settings: Settings(
                columns: columns.all.map(\.rawValue), replaces: isReplacing, appliedAt: Milliseconds.of(appliedAt),
                last: last
            ))
        if !isReplacing { applied.settings.removed = last }
        try applied.save(db)
    }

    private func save(_ db: any StateTransaction) throws {
        let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        try db.execute("UPDATE import SET applied = ? WHERE id = ?", [text, id])
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

    func effect(on identifier: String, locks: Bool = false, _ db: any StateTransaction) throws -> ImportEffect {
        // Both queries are made for each identifier, so that the response time does not tell which are in the file.
        let row = try staged(identifier, locks: locks, db)
        let isRemoved =
            settings.removed < settings.last
            ? try db.isTrue(
                "SELECT EXISTS (SELECT 1 FROM subscriber WHERE \(Self.isRemoved))", [identifier, id, settings.last])
            : false
        guard let row else { return isRemoved ? .removed : .nothing }
        let columns = try columns()
        return .row(row, hasPasswords: columns.has(.password) || columns.has(.passwordHash))
    }

    /// The condition of a subscriber that is removed because the file lacks it. Its arguments are the identifier, the
    /// number of the import and the greatest number that it removes.
    private static let isRemoved = "identifier = ? AND \(ImportRemoval.condition) AND id <= ?"

    /// - Parameter locks: Whether the row is locked until the end of the transaction, which will move it.
    private func staged(_ identifier: String, locks: Bool, _ db: any StateTransaction) throws -> ImportRow? {
        try db.bytes(
            "SELECT row FROM staged WHERE import = ? AND identifier = ?" + (locks ? db.dialect.forUpdate : ""),
            [id, identifier]
        ).map { try Self.decode($0, identifier) }
    }

    private static func decode(_ data: Data, _ identifier: String) throws -> ImportRow {
        guard let row = try? JSONDecoder().decode(StagedRow.self, from: data) else {
            throw UnreadableRow(table: "staged", column: "row")
        }
        return try row.row(of: identifier)
    }

    /// Returns whether the active import has a pending change for an identifier.
    static func hasPendingRow(_ identifier: String, _ db: any StateTransaction) throws -> Bool {
        guard let applied = try current(db) else { return false }
        if case .nothing = try applied.effect(on: identifier, db) { return false }
        return true
    }

    /// Applies the row of an identifier, in the caller's transaction.
    static func settle(_ identifier: String, _ db: any StateTransaction) throws {
        guard let applied = try current(db) else { return }
        switch try applied.effect(on: identifier, locks: true, db) {
        case .nothing: return
        case .removed:
            let removed = try db.execute(
                "DELETE FROM subscriber WHERE \(isRemoved)", [identifier, applied.id, applied.settings.last])
            if removed > 0 { try applied.settled.add(.removed, of: identifier, db) }
        case .row(let row, _):
            let (added, replaced) = try applied.move([row], db)
            if added + replaced > 0 { try applied.settled.add(added > 0 ? .added : .replaced, of: identifier, db) }
        }
    }

    private var settled: SettledSubscribers { SettledSubscribers(importID: id) }

    /// Applies the row of a subscriber's number, in the caller's transaction.
    static func settle(id: Int64, _ db: any StateTransaction) throws {
        guard try current(db) != nil,
            let identifier = try Self.identifier(of: id, db)
        else { return }
        try settle(identifier, db)
    }

    /// Returns the identifier of a subscriber; nil if there is none.
    static func identifier(of id: Int64, _ db: any StateTransaction) throws -> String? {
        try db.row("SELECT identifier FROM subscriber WHERE id = ?", [id]).flatMap {
            try SubscriberRow.optionalText($0, 0, "subscriber", "identifier")
        }
    }

    // MARK: - All of them

    /// Applies a batch of rows, in the caller's transaction.
    ///
    /// - Returns: Whether more rows may be pending.
    func advance(_ limit: Int, _ db: any StateTransaction) throws -> Bool {
        // Without the index, SQLite reads in the order of the rows and does not sort again for each batch.
        let rows = try db.rows(
            """
            SELECT identifier, row FROM staged WHERE \(db.dialect.unindexed)import = ?
            ORDER BY sequence LIMIT ?\(db.dialect.forUpdate)
            """, [id, limit]
        ).map { row -> ImportRow in
            guard let identifier = try SubscriberRow.optionalText(row, 0, "staged", "identifier"),
                case .bytes(let data) = row.values[1]
            else { throw UnreadableRow(table: "staged", column: "row") }
            return try Self.decode(data, identifier)
        }
        if !rows.isEmpty {
            let (added, replaced) = try move(rows, db)
            try db.execute(
                "UPDATE import SET added = added + ?, replaced = replaced + ? WHERE id = ?", [added, replaced, id])
            return true
        }
        guard settings.removed < settings.last else { return false }
        var next = self
        let (end, removed) = try ImportRemoval.remove(
            excluding: id, after: settings.removed, upTo: settings.last, limit: limit, db)
        next.settings.removed = end
        try next.save(db)
        if removed > 0 { try db.execute("UPDATE import SET removed = removed + ? WHERE id = ?", [removed, id]) }
        return end < settings.last
    }

    /// Moves staged rows to the tables of subscribers, and returns the numbers of those added and replaced.
    private func move(_ rows: [ImportRow], _ db: any StateTransaction) throws -> (added: Int, replaced: Int) {
        let writer = ImportWriter(importID: id, columns: try columns(), at: Milliseconds.date(settings.appliedAt))
        var (added, replaced) = (0, 0)
        for row in rows {
            switch try writer.write(row, db) {
            case .added: added += 1
            case .replaced: replaced += 1
            case .duplicate: break
            }
            try db.execute("DELETE FROM staged WHERE import = ? AND identifier = ?", [id, row.identifier])
        }
        return (added, replaced)
    }

    /// Deletes imports that never became active and cannot be resumed, and those that were applied completely but not
    /// deleted, in the caller's transaction. Their staged rows stay.
    static func discardAbandoned(_ db: any StateTransaction) throws {
        for row in try db.rows("SELECT id, applied FROM import WHERE fingerprint IS NULL") {
            let id = try SubscriberRow.integer(row, 0, "import", "id")
            if try SubscriberRow.optionalText(row, 1, "import", "applied") != nil {
                let settings = try decode(row).settings
                let hasRows = try db.isTrue("SELECT EXISTS (SELECT 1 FROM staged WHERE import = ?)", [id])
                if hasRows || settings.removed < settings.last { continue }
            }
            try db.execute("DELETE FROM import WHERE id = ?", [id])
        }
    }
}
