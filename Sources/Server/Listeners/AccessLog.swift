import Gatefold
import HTTPTypes
import Logging
import Metrics

/// One log line and one measurement a request. The query and the body, where credentials are, are not in it.
struct AccessLog: Sendable {
    struct Entry {
        /// The pattern of its path; `none` where it has no route.
        let route: String
        let method: String
        let path: Substring
        let status: HTTPResponse.Status
        let elapsed: Duration
        /// Those that measure it, where they were looked up before.
        var meters: RequestMeters.Meters?
    }

    private let meters = RequestMeters()

    /// - Parameter client: who asked; looked up only where it is written.
    func record(
        _ entry: Entry, logger: Logger = .current, client: () -> ClientAddress?
    ) {
        let method = Self.known(entry.method)
        (entry.meters ?? meters(route: entry.route, method: method, status: entry.status)).record(entry.elapsed)
        guard logger.logLevel <= .info else { return }
        logger.info(
            "request",
            metadata: [
                "method": "\(method)", "path": "\(LoggedPath.of(String(entry.path), route: entry.route))",
                "status": "\(entry.status.code)",
                "client": "\(client().map(\.description) ?? "-")",
                "milliseconds": "\(entry.elapsed.nanoseconds / 1_000_000)",
            ])
    }

    /// What measures the requests that agree in these.
    ///
    /// - Parameter method: one of those that are known.
    func meters(route: String, method: String, status: HTTPResponse.Status) -> RequestMeters.Meters {
        meters.meters(RequestMeters.Key(route: route, method: method, status: status.code))
    }

    private static func known(_ method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH": method
        default: "other"
        }
    }
}
