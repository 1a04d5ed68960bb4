import Synchronization

/// The unreadable rows of a state. A loop over a table skips them and continues with the other rows.
///
/// Source: Pitfall 31, “One unreadable row that stops the follower”.
package final class UnreadableRows: Sendable {
    /// Receives the names of unreadable rows by table. Tables without unreadable rows are absent.
    package typealias Report = @Sendable ([String: Set<String>]) -> Void

    private struct State {
        /// The names by query and by table.
        var found: [String: [String: Set<String>]] = [:]
        var report: Report?
    }

    private let state = Mutex(State())

    /// The names of the unreadable rows that the latest queries found, by table.
    package var byTable: [String: Set<String>] { state.withLock { Self.byTable($0.found) } }

    /// Sets the closure that is called whenever the set of unreadable rows changes.
    package func onChange(_ report: @escaping Report) {
        state.withLock { $0.report = report }
    }

    /// Records the unreadable rows of one query. They replace the rows that the same query found before, so that a
    /// repaired or deleted row is no longer reported.
    ///
    /// - Parameters:
    ///   - rows: The names of the rows, by table.
    ///   - purpose: The name of the query.
    func record(_ rows: [String: Set<String>], for purpose: String) {
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
