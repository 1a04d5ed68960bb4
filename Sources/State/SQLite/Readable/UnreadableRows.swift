import Synchronization

/// The rows of a state that cannot be read, which loops over a table pass over, so that the others go on (PITFALLS row 31).
package final class UnreadableRows: Sendable {
    /// Receives what names the rows, by table; tables without one are left out.
    package typealias Report = @Sendable ([String: Set<String>]) -> Void

    private struct State {
        /// By what was looked for, and by table.
        var found: [String: [String: Set<String>]] = [:]
        var report: Report?
    }

    private let state = Mutex(State())

    /// What names the rows that the latest queries found, by table.
    package var byTable: [String: Set<String>] { state.withLock { Self.byTable($0.found) } }

    /// Sets what is called each time that the rows become others.
    package func whenChanged(_ report: @escaping Report) {
        state.withLock { $0.report = report }
    }

    /// Takes in what one query found. It takes the place of what the same query found before, so that a row that was
    /// mended or deleted is reported no longer.
    ///
    /// - Parameters:
    ///   - rows: what names them, by table.
    ///   - purpose: names the query.
    func note(_ rows: [String: Set<String>], for purpose: String) {
        let change = state.withLock { state -> (Report, [String: Set<String>])? in
            guard state.found[purpose] ?? [:] != rows else { return nil }
            let before = Self.byTable(state.found)
            state.found[purpose] = rows.isEmpty ? nil : rows
            let after = Self.byTable(state.found)
            guard let report = state.report, before != after else { return nil }
            return (report, after)
        }
        if let (report, rows) = change { report(rows) }
    }

    private static func byTable(_ found: [String: [String: Set<String>]]) -> [String: Set<String>] {
        found.values.reduce(into: [:]) { all, rows in all.merge(rows) { $0.union($1) } }
    }
}
