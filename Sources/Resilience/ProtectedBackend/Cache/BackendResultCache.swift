import Foundation
import Gatefold
import Primitives
import Synchronization

/// A cache of a backend's results that serves fresh results, refreshes ageing ones in the background, and falls
/// back to the last known good result when the backend fails.
final class BackendResultCache: Sendable {
    struct Counts: Sendable {
        var fresh = 0
        var revalidating = 0
        var miss = 0
        var lastKnownGood = 0
    }

    private struct State {
        var storage: BackendResultStore
        var order: UInt64 = 0
        var counts = Counts()

        mutating func timestamp(at now: TimeInterval) -> LogicalTimestamp {
            order += 1
            return LogicalTimestamp(seconds: now, order: order)
        }
    }

    private let isEnabled: Bool
    private let clock: WallClock
    private let random: RandomSource
    private let state: Mutex<State>

    init(
        _ settings: ProtectionSettings.Cache?, maxQueryDuration: TimeInterval, clock: WallClock, random: RandomSource
    ) {
        self.clock = clock
        self.random = random
        isEnabled = settings != nil
        state = Mutex(
            State(
                storage: BackendResultStore(
                    settings ?? ProtectionSettings.Cache(), maxQueryDuration: maxQueryDuration)))
    }

    /// Returns the current timestamp, which is later than all earlier ones.
    func timestamp() -> LogicalTimestamp {
        state.withLock { $0.timestamp(at: clock.elapsed) }
    }

    /// Removes the results of a group.
    ///
    /// - Returns: The number of removed results.
    @discardableResult
    func invalidate(_ group: BackendResultStore.Group) -> Int {
        state.withLock { state in
            let timestamp = state.timestamp(at: clock.elapsed)
            return state.storage.invalidate(group, at: timestamp)
        }
    }

    /// Returns a group and the subscribers that its credentials were authenticated as.
    func withSubscribers(_ group: BackendResultStore.Group) -> Set<BackendResultStore.Group> {
        state.withLock { $0.storage.subscribers(authenticatedIn: group).union([group]) }
    }

    func invalidateAll() -> Int {
        state.withLock { state in
            let timestamp = state.timestamp(at: clock.elapsed)
            return state.storage.invalidateAll(at: timestamp)
        }
    }

    var status: (entries: Int, bytes: Int, counts: Counts) {
        state.withLock { ($0.storage.count, $0.storage.bytes, $0.counts) }
    }

    /// Looks a result up and counts the outcome.
    func find(_ key: BackendQueryKey) -> BackendResultStore.LookupResult {
        state.withLock { state in
            let now = clock.elapsed
            let finding = state.storage.find(key, at: now)
            switch finding {
            case .fresh: state.counts.fresh += 1
            case .revalidating: state.counts.revalidating += 1
            case .missing: state.counts.miss += 1
            }
            return finding
        }
    }

    /// Returns a cached result and the number of seconds since its query, or `nil` if there is none. Counts no outcome, and is
    /// no use of the result.
    func peek(_ key: BackendQueryKey) -> (result: StoredResult, age: TimeInterval, isFresh: Bool)? {
        state.withLock { state in
            let now = clock.elapsed
            return state.storage.peek(key, at: now).map { ($0.result, max(0, now - $0.queried.seconds), $1) }
        }
    }

    /// Returns the result that replaces a failed query, or `nil` if there is none.
    func lastKnownGood(_ key: BackendQueryKey) -> StoredResult? {
        state.withLock { state in
            let now = clock.elapsed
            let found = state.storage.lastKnownGood(key, at: now)
            if found != nil { state.counts.lastKnownGood += 1 }
            return found
        }
    }

    func store(_ timestamped: TimestampedResult<StoredResult>, _ subject: BackendResultStore.Subject) {
        guard isEnabled else { return }
        let jitter = random.fraction()
        state.withLock { state in
            let now = clock.elapsed
            state.storage.store(timestamped, subject, jitter: jitter, at: now)
        }
    }
}

// MARK: - What other processes learn

extension BackendResultCache {
    /// Returns the time of a query as a date of this process's wall clock.
    func date(of timestamp: LogicalTimestamp) -> Date {
        clock.now.addingTimeInterval(timestamp.seconds - clock.elapsed)
    }

    func invalidate(_ group: BackendResultStore.Group, queriedUntil date: Date) {
        change(queriedUntil: date) { storage, seconds, timestamp in
            storage.invalidate(group, queriedUntil: seconds, at: timestamp)
        }
    }

    func invalidateAll(queriedUntil date: Date) {
        change(queriedUntil: date) { storage, seconds, timestamp in
            storage.invalidateAll(queriedUntil: seconds, at: timestamp)
        }
    }

    func invalidateCredentials(
        of group: BackendResultStore.Group, queriedUntil date: Date, where isWrong: (UInt64) -> Bool
    ) {
        change(queriedUntil: date) { storage, seconds, timestamp in
            storage.invalidateCredentials(of: group, queriedUntil: seconds, at: timestamp, where: isWrong)
        }
    }

    func deny(
        _ group: BackendResultStore.Group, _ invalidationScope: BackendCachePolicy.InvalidationScope,
        on edition: EditionID?,
        queriedUntil date: Date
    ) {
        change(queriedUntil: date) { storage, seconds, timestamp in
            storage.deny(group, invalidationScope, on: edition, queriedUntil: seconds, at: timestamp)
        }
    }

    func deny(
        _ group: BackendResultStore.Group, onEditions isDenied: (EditionID) -> Bool, queriedUntil date: Date
    ) {
        change(queriedUntil: date) { storage, seconds, timestamp in
            storage.deny(group, onEditions: isDenied, queriedUntil: seconds, at: timestamp)
        }
    }

    private func change(
        queriedUntil date: Date, _ change: (inout BackendResultStore, TimeInterval, LogicalTimestamp) -> Void
    ) {
        state.withLock { state in
            let timestamp = state.timestamp(at: clock.elapsed)
            change(&state.storage, timestamp.seconds - max(0, clock.now.timeIntervalSince(date)), timestamp)
        }
    }
}
