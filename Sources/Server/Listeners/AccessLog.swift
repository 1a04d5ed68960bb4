import Gatefold
import HTTPTypes
import Logging
import Metrics

/// The log line and the measurement of each request. They exclude the query and the body, because credentials are
/// there.
struct AccessLog: Sendable {
    struct Entry {
        /// The pattern of the route; `none` if the path has no route.
        let route: String
        let method: String
        let path: String
        let status: HTTPResponse.Status
        let elapsed: Duration
    }

    private let metrics = RequestMetrics()

    /// - Parameter client: Returns the client. Called only if the line is written.
    func record(_ entry: Entry, logger: Logger, client: () -> ClientAddress?) {
        let method = Self.known(entry.method)
        metrics.series(RequestMetrics.Key(route: entry.route, method: method, status: entry.status.code))
            .record(entry.elapsed)
        guard logger.logLevel <= .info else { return }
        logger.info(
            "request",
            metadata: [
                "method": "\(method)", "path": "\(LoggedPath.of(entry.path, route: entry.route))",
                "status": "\(entry.status.code)",
                "client": "\(client().map(\.description) ?? "-")",
                "duration_ms": "\(entry.elapsed.nanoseconds / 1_000_000)",
            ])
    }

    private static func known(_ method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH": method
        default: "other"
        }
    }
}
