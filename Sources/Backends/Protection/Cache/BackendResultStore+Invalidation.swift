import Foundation
import Gatefold

/// Invalidations that other processes report. They apply to queries that started before the report; only the clocks
/// can order queries of two processes.
extension BackendResultStore {
    /// Removes all results of a group whose queries started by the given time.
    mutating func invalidate(_ group: Group, askedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for place in groups[group]?.places ?? [] where isQueried(place, until: seconds) { remove(place) }
    }

    /// Removes successful sign-ins of a group whose proofs are wrong and whose queries started by the given time.
    mutating func invalidateCredentials(
        of group: Group, askedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp,
        where isWrong: (UInt64) -> Bool
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for place in groups[group]?.authenticated ?? [] where isQueried(place, until: seconds) {
            if let proofs = entries[place]?.subject.proofs, isWrong(proofs) { remove(place) }
        }
    }

    /// Removes the results that a denial invalidates. The group's remaining subscriptions become due for a refresh
    /// immediately.
    mutating func deny(
        _ group: Group, _ invalidationScope: BackendCachePolicy.InvalidationScope, on edition: EditionID?,
        askedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for place in places(in: group, invalidatedBy: invalidationScope, on: edition)
        where isQueried(place, until: seconds) {
            guard let entry = entries[place] else { continue }
            if invalidationScope.invalidates(entry.result, isSameEdition: entry.subject.edition == edition) {
                remove(place)
            }
        }
        age(group, askedUntil: seconds, at: timestamp)
    }

    /// Removes the verdicts on the denied editions. The subscriptions' information on other editions remains valid.
    mutating func deny(
        _ group: Group, onEditions isDenied: (EditionID) -> Bool, askedUntil seconds: TimeInterval,
        at timestamp: LogicalTimestamp
    ) {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        for place in groups[group]?.verdicts(onEditions: isDenied) ?? [] where isQueried(place, until: seconds) {
            remove(place)
        }
        age(group, askedUntil: seconds, at: timestamp)
    }

    private mutating func age(_ group: Group, askedUntil seconds: TimeInterval, at timestamp: LogicalTimestamp) {
        for place in groups[group]?.places ?? [] where isQueried(place, until: seconds) {
            age(place, at: timestamp.seconds)
        }
    }

    private func isQueried(_ place: Int, until seconds: TimeInterval) -> Bool {
        entries[place].map { $0.queried.seconds <= seconds } ?? false
    }
}
