import Foundation
import Gatefold

/// Invalidations that other processes report. They apply to queries that started before the report; only the clocks
/// can order queries of two processes.
extension BackendResultStore {
    /// Removes all results of a group whose queries started by the given time.
    mutating func invalidate(_ group: Group, queriedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for slot in groups[group]?.slots ?? [] where isQueried(slot, until: seconds) { remove(slot) }
    }

    /// Removes all results whose queries started by the given time.
    mutating func invalidateAll(queriedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp) {
        watermarks.raiseAll(timestamp)
        for slot in entries.indices where isQueried(slot, until: seconds) { remove(slot) }
    }

    /// Removes successful sign-ins of a group whose proofs are wrong and whose queries started by the given time.
    mutating func invalidateCredentials(
        of group: Group, queriedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp,
        where isWrong: (UInt64) -> Bool
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for slot in groups[group]?.authenticated ?? [] where isQueried(slot, until: seconds) {
            if let proofs = entries[slot]?.subject.proofs, isWrong(proofs) { remove(slot) }
        }
    }

    /// Removes the results that a denial invalidates. The group's remaining subscriptions become due for a refresh
    /// immediately.
    mutating func deny(
        _ group: Group, _ invalidationScope: BackendCachePolicy.InvalidationScope, on edition: EditionID?,
        queriedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for slot in slots(in: group, invalidatedBy: invalidationScope, on: edition)
        where isQueried(slot, until: seconds) {
            guard let entry = entries[slot] else { continue }
            if invalidationScope.invalidates(entry.result, isSameEdition: entry.subject.edition == edition) {
                remove(slot)
            }
        }
        age(group, queriedUntil: seconds, at: timestamp)
    }

    /// Removes the verdicts on the denied editions. The subscriptions' information on other editions remains valid.
    mutating func deny(
        _ group: Group, onEditions isDenied: (EditionID) -> Bool, queriedUntil seconds: TimeInterval,
        at timestamp: LogicalTimestamp
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for slot in groups[group]?.verdicts(onEditions: isDenied) ?? [] where isQueried(slot, until: seconds) {
            remove(slot)
        }
        age(group, queriedUntil: seconds, at: timestamp)
    }

    private mutating func age(_ group: Group, queriedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp) {
        for slot in groups[group]?.slots ?? [] where isQueried(slot, until: seconds) {
            age(slot, at: timestamp.seconds)
        }
    }

    private func isQueried(_ slot: Int, until seconds: TimeInterval) -> Bool {
        entries[slot].map { $0.queried.seconds <= seconds } ?? false
    }
}
