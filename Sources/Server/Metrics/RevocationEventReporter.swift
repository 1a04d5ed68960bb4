import Logging
import Metrics

/// The reporter that converts unreadable revocations into a metric and a log line.
enum RevocationEventReporter {
    /// The maximum number of rows that the log names.
    private static let maxNamed = 16

    static func report(unreadable: Set<Int64>, to logger: Logger) {
        Gauge(label: "gatefold_revocations_unreadable").record(unreadable.count)
        guard !unreadable.isEmpty else { return logger.notice("All revocations are readable again") }
        let named = unreadable.sorted().prefix(maxNamed).map(String.init).joined(separator: ", ")
        logger.error(
            "Revocations cannot be read: sessions of the affected subscribers are ended where these are known",
            metadata: ["rows": "\(unreadable.count)", "sequence": "\(named)"])
    }
}
