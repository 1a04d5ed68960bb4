public import Protections

/// How a protected backend is doing, and what was counted since it was opened.
public struct ProtectionStatus: Sendable, Equatable {
    public enum Count: String, Sendable, CaseIterable {
        /// Answered from memory.
        case fresh
        /// Answered from memory, and asked anew behind the reader's back.
        case ageing
        /// Not in memory, or too old.
        case missed
        /// Answered from memory because the backend could not be asked.
        case lastKnownGood = "last_known_good"
        /// Answered together with another question of the same words.
        case coalesced
        case deadlineExceeded = "deadline_exceeded"
        case queueFull = "queue_full"
        case patienceOver = "patience_over"
        /// Not asked because the breaker was open.
        case breakerOpen = "breaker_open"
    }

    public let breaker: BreakerPosition
    /// Calls under way, those whose deadline is over among them.
    public let asking: Int
    /// Questions in the queue.
    public let waiting: Int
    public let mostAsking: Int
    public let mostWaiting: Int
    /// Answers in memory.
    public let entries: Int
    /// Their size, by estimate.
    public let bytes: Int
    /// Whether the last question that reached the backend failed; nil before the first.
    public let lastFailed: Bool?
    public let counts: [Count: Int]
}
