/// The transfer of all rows of a state into empty tables, in one transaction of each database.
///
/// A backup reads one snapshot in this way, and a restore takes effect as a whole or not at all. ``StateCopy`` works in many
/// transactions instead, so that it can continue.
struct StateTransfer {
    let source: any StateTransaction
    let target: any StateTransaction
    var tables = StateTable.all
    let didProgress: (StateCopy.Progress) -> Void

    /// Copies all rows and compares them.
    ///
    /// - Throws: `NewerSchema` if one of the states has tables that this release does not know,
    ///   ``StateStoreError/unavailable(reason:)`` if the source is an incomplete copy, ``StateCopyError/differs(table:)``,
    ///   or the error of a database.
    func run() throws {
        for db in [source, target] { try db.rejectUnknown() }
        try SQLStateStore.rejectIncomplete(source)
        var progress = StateCopy.Progress(table: "", rows: 0, total: 0)
        for table in tables { progress.total += 2 * (try table.count(source)) }
        try AuditRow.importing(into: target) {
            for table in tables {
                progress.table = table.name
                try table.forEachPage(source) { rows, _ in
                    try table.insert(target, rows)
                    progress.rows += rows.count
                    didProgress(progress)
                }
            }
        }
        for table in tables {
            progress.table = table.name
            try table.forEachPage(source) { rows, key in
                let copied = try table.rows(target, after: key, limit: rows.count)
                guard copied.map(\.values) == rows.map(\.values) else {
                    throw StateCopyError.differs(table: table.name)
                }
                progress.rows += rows.count
                didProgress(progress)
            }
            guard try table.count(source) == table.count(target) else {
                throw StateCopyError.differs(table: table.name)
            }
        }
    }
}

extension StateTable {
    /// Passes all rows in pages, each with the key after which it starts.
    fileprivate func forEachPage(
        _ db: any StateTransaction, _ body: ([StateRow], _ after: [StateValue]?) throws -> Void
    ) throws {
        var last: [StateValue]?
        while true {
            let page = try rows(db, after: last, limit: StateCopy.batch)
            if !page.isEmpty { try body(page, last) }
            guard page.count == StateCopy.batch, let end = page.last else { return }
            last = key(of: end)
        }
    }
}
