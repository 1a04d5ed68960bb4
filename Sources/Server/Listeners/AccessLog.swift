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
    }

    private let meters = RequestMeters()

    /// - Parameter client: who asked; looked up only where it is written.
    func record(
        _ entry: Entry, logger: Logger = .current, client: () -> ClientAddress?
    ) {
        let method = Self.known(entry.method)
        meters.record(entry, method: method)
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

    private static func known(_ method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH": method
        default: "other"
        }
    }
}
