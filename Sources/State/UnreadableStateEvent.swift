package import Gatefold

/// A change of the unreadable rows of the state, for logs and metrics.
package enum UnreadableStateEvent: Sendable {
    /// The sequence numbers of all revocations that cannot be read.
    case revocations(Set<Int64>)
    /// The identifiers of all rows of a table that cannot be read.
    case rows(table: String, Set<String>)
}

extension UnreadableStateEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .revocations(let rows):
            let report = EventReport.gauge("gatefold_revocations_unreadable", [:], rows.count)
            if rows.isEmpty { return report.log(.notice, "All revocations are readable again") }
            return report.log(
                .error,
                "Revocations cannot be read: sessions of the affected subscribers are ended where these are known",
                ["rows": rows.count, "sequence": Self.names(rows)])
        case .rows(let table, let rows):
            let report = EventReport.gauge("gatefold_state_rows_unreadable", ["table": table], rows.count)
            if rows.isEmpty {
                return report.log(.notice, "All rows of a state table are readable again", ["table": table])
            }
            return report.log(
                .error, "Unreadable rows of a state table skipped",
                ["table": table, "rows": rows.count, "names": Self.names(rows)])
        }
    }

    /// The maximum number of rows that the log names.
    private static let maxNamed = 16

    private static func names(_ rows: Set<some Comparable & CustomStringConvertible>) -> String {
        rows.sorted().prefix(maxNamed).map(\.description).joined(separator: ", ")
    }
}
