public import Foundation

/// The status of a protected backend and its counters since it was opened.
public struct ProtectionStatus: Sendable, Equatable {
    public enum Count: String, Sendable, CaseIterable {
        /// Results from the cache.
        case fresh
        /// Results from the cache that were due for a refresh in the background.
        case revalidating
        /// Results that were not in the cache or were too old.
        case miss
        /// Results from the cache that replaced a failed query.
        case lastKnownGood = "last_known_good"
        /// Results that were shared with an identical concurrent query.
        case coalesced
        case deadlineExceeded = "deadline_exceeded"
        case queueFull = "queue_full"
        case queueTimeout = "queue_timeout"
        /// Queries that were not sent because the breaker was open.
        case breakerOpen = "breaker_open"
    }

    public let breaker: CircuitBreakerState
    /// The number of calls in progress, including calls that exceeded their deadline.
    public let inUse: Int
    /// The number of queued queries.
    public let waiting: Int
    public let maxConcurrent: Int
    public let maxQueued: Int
    /// The number of cached results.
    public let entries: Int
    /// The estimated size of the cached results in bytes.
    public let bytes: Int
    /// A Boolean value that indicates whether the last query that reached the backend failed, or `nil` before the
    /// first query.
    public let lastFailed: Bool?
    /// The last query that failed, or nil if none has.
    public let lastFailure: BackendQueryFailure?
    /// The time since which every query that reached the backend has failed, or nil if the last one did not.
    public let unavailableSince: Date?
    public let counts: [Count: Int]
}
