package import Foundation
public import Primitives
import Synchronization

/// The age of this process's revocations: the time since it last read those that other processes recorded.
public final class RevocationFreshness: Sendable {
    private struct Poll {
        /// The time by the store's clock.
        let timestamp: Date
        /// The monotonic time, which a set clock does not change.
        let elapsed: TimeInterval
    }

    private let clock: WallClock
    private let last = Mutex<Poll?>(nil)

    public init(clock: WallClock) {
        self.clock = clock
    }

    /// The time of the last successful poll; nil if there was none.
    package var polledAt: Date? { last.withLock(\.?.timestamp) }

    /// The seconds since the last successful poll; nil if there was none.
    package var age: TimeInterval? {
        last.withLock { $0.map { max(0, clock.elapsed - $0.elapsed) } }
    }

    /// Runs a poll, and records its start if it succeeds. A revocation that is recorded during a poll may be missing
    /// in it.
    package func poll(_ body: () async throws -> Void) async rethrows {
        let elapsed = clock.elapsed
        try await body()
        // The store's clock is known only after its first response.
        let timestamp = clock.now.addingTimeInterval(elapsed - clock.elapsed)
        last.withLock { $0 = Poll(timestamp: timestamp, elapsed: elapsed) }
    }

    /// Records the time of a poll that another process made, such as this node before its restart.
    package func record(pollAt timestamp: Date) {
        let age = max(0, clock.now.timeIntervalSince(timestamp))
        last.withLock { $0 = Poll(timestamp: timestamp, elapsed: clock.elapsed - age) }
    }
}
