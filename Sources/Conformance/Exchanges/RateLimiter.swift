/// A rate limit for the requests of a check. It spaces the requests evenly and allows no bursts, so that a check
/// does not load a server.
package struct RateLimiter: Sendable {
    /// The interval between two requests, in seconds.
    private let interval: Double
    private var next = 0.0

    /// - Parameter perSecond: The maximum number of requests per second. Greater than 0; infinity for no limit.
    package init(perSecond: Double) {
        interval = 1 / perSecond
    }

    /// Reserves the time for the next request.
    ///
    /// - Parameter now: The number of seconds since a fixed time.
    /// - Returns: The time to wait, in seconds.
    package mutating func turn(at now: Double) -> Double {
        let turn = max(now, next)
        next = turn + interval
        return turn - now
    }
}
