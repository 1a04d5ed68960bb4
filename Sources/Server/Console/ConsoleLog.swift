import Console
import Logging

/// The log of the requests to the console. The admin listener has no access log, and a sign-in or a refused request calls no
/// operation of the admin API.
struct ConsoleLog: Sendable {
    let logger: Logger

    func record(_ trace: ConsoleTrace) {
        logger.info(
            "Console request",
            metadata: ["page": "\(trace.page)", "status": "\(trace.status)", "user": "\(trace.user ?? "-")"])
    }
}
