import State
import Synchronization

/// The reporter of the tables whose unreadable rows changed.
final class UnreadableRowReporter: Sendable {
    private let reporter: EventReporter
    private let known = Mutex<[String: Set<String>]>([:])

    init(_ reporter: EventReporter) {
        self.reporter = reporter
    }

    /// - Parameter rows: The identifiers of the unreadable rows, by table.
    func report(_ rows: [String: Set<String>]) {
        let before = known.withLock { known in
            defer { known = rows }
            return known
        }
        for table in Set(before.keys).union(rows.keys).sorted() where before[table] != rows[table] {
            reporter.report(UnreadableStateEvent.rows(table: table, rows[table] ?? []))
        }
    }
}
