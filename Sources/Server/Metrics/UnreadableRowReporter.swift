import Logging
import Metrics
import Synchronization

/// The reporter that converts unreadable rows of the state into a metric and log lines.
final class UnreadableRowReporter: Sendable {
    /// The maximum number of rows that the log names.
    private static let maxNamed = 16

    private let logger: Logger
    private let known = Mutex<[String: Set<String>]>([:])

    init(logger: Logger) {
        self.logger = logger
    }

    /// - Parameter rows: The identifiers of the unreadable rows, by table.
    func report(_ rows: [String: Set<String>]) {
        let before = known.withLock { known in
            defer { known = rows }
            return known
        }
        for table in Set(before.keys).union(rows.keys).sorted() where before[table] != rows[table] {
            let names = rows[table] ?? []
            Gauge(label: "gatefold_state_rows_unreadable", dimensions: [("table", table)]).record(names.count)
            guard !names.isEmpty else {
                logger.notice("All rows of a state table are readable again", metadata: ["table": "\(table)"])
                continue
            }
            let named = names.sorted().prefix(Self.maxNamed).joined(separator: ", ")
            logger.error(
                "Unreadable rows of a state table skipped",
                metadata: ["table": "\(table)", "rows": "\(names.count)", "names": "\(named)"])
        }
    }
}
