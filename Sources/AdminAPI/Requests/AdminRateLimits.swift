import Primitives
import Synchronization

/// A limit on the audited requests of each user per minute at one node. Entries of the audit log are never deleted, so a flood
/// of requests must not fill the state.
final class AdminRateLimits: Sendable {
    static let changesPerMinute = 60
    static let readsPerMinute = 300
    /// The maximum number of users. When there are more, all are forgotten.
    private static let capacity = 10_000

    private let limiters = Mutex<[String: LogRateLimiter]>([:])

    func admits(_ user: AdminUser, isChange: Bool) -> Bool {
        let limiter = limiters.withLock { limiters in
            let id = "\(isChange) \(user.id)"
            if let known = limiters[id] { return known }
            if limiters.count >= Self.capacity { limiters = [:] }
            let limiter = LogRateLimiter(perMinute: isChange ? Self.changesPerMinute : Self.readsPerMinute)
            limiters[id] = limiter
            return limiter
        }
        return limiter.admits()
    }
}
