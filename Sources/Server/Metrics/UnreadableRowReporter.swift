import Logging
import Metrics
import Synchronization

/// Turns what cannot be read of the state into a metric and log lines.
final class UnreadableRowReporter: Sendable {
    /// As many rows are named in the log.
    private static let mostNamed = 16

    private let logger: Logger
    private let known = Mutex<[String: Set<String>]>([:])

    init(logger: Logger) {
        self.logger = logger
    }

    /// - Parameter rows: what names them, by table.
    func report(_ rows: [String: Set<String>]) {
        let before = known.withLock { known in
            defer { known = rows }
            return known
        }
        for table in Set(before.keys).union(rows.keys).sorted() where before[table] != rows[table] {
            let names = rows[table] ?? []
            Gauge(label: "gatefold_state_rows_unreadable", dimensions: [("table", table)]).record(names.count)
            guard !names.isEmpty else {
                logger.notice("All rows of a table of the state can be read again", metadata: ["table": "\(table)"])
                continue
            }
            let named = names.sorted().prefix(Self.mostNamed).joined(separator: ", ")
            logger.error(
                "Rows of the state cannot be read and are passed over",
                metadata: ["table": "\(table)", "rows": "\(names.count)", "names": "\(named)"])
        }
    }
}
