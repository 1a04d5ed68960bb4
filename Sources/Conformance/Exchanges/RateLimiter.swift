/// How often a check may ask: evenly, never in bursts, so that it is no load on anybody's server.
package struct RateLimiter: Sendable {
    /// Between two requests, in seconds.
    private let interval: Double
    private var next = 0.0

    /// - Parameter perSecond: more than nothing; infinity for no limit.
    package init(perSecond: Double) {
        interval = 1 / perSecond
    }

    /// Takes the next turn.
    ///
    /// - Parameter now: seconds since any moment, always the same one.
    /// - Returns: how long to wait for it, in seconds.
    package mutating func turn(at now: Double) -> Double {
        let turn = max(now, next)
        next = turn + interval
        return turn - now
    }
}
