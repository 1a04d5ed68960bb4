import Logging
import Metrics

/// Turns what was found of revocations into a metric and a log line.
enum RevocationEventReporter {
    /// As many rows are named in the log.
    private static let mostNamed = 16

    static func report(unreadable: Set<Int64>, to logger: Logger) {
        Gauge(label: "gatefold_revocations_unreadable").record(unreadable.count)
        guard !unreadable.isEmpty else { return logger.notice("all revocations can be read again") }
        let named = unreadable.sorted().prefix(mostNamed).map(String.init).joined(separator: ", ")
        logger.error(
            "revocations can not be read, all sessions of their subscribers are ended where these can be",
            metadata: ["rows": "\(unreadable.count)", "sequence": "\(named)"])
    }
}
