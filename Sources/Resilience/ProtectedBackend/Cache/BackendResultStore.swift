import Foundation
import Gatefold
import Primitives

/// The cached results. They are found by the digest of their query, removed by group, and evicted when the memory
/// limit is reached.
package struct BackendResultStore: Sendable {
    /// A cached result. It is an object, because a lookup would otherwise copy all of it.
    final class Entry: Sendable {
        let subject: Subject
        let result: StoredResult
        let queried: LogicalTimestamp
        let bytes: Int

        init(subject: Subject, result: StoredResult, queried: LogicalTimestamp) {
            self.subject = subject
            self.result = result
            self.queried = queried
            bytes =
                BackendResultSize.entry + BackendResultSize.bytes(of: subject.key) + BackendResultSize.bytes(of: result)
        }

        var isAuthenticated: Bool {
            if case .authentication(.authenticated) = result { true } else { false }
        }

        var part: Part {
            if case .authentication(.rejected) = result { .rejections } else { .readers }
        }
    }

    /// The deadlines of the entry in the same slot.
    private struct Timing {
        var lifetime: BackendCachePolicy.CacheLifetime
        var nextRevalidation: TimeInterval
    }

    /// A part of the memory. Anyone can cause any number of rejections with wrong credentials. Rejections therefore
    /// have their own small part, so that they cannot evict the results that readers need during an outage.
    enum Part: Int, CaseIterable {
        case readers, rejections
    }

    /// The divisor of the memory limit that yields the maximum size of all rejections of wrong credentials.
    static let rejectionsShare = 8

    /// The maximum number of results about one subscriber or identifier. A client that sends ever more queries
    /// evicts only its own results, and a scan of a group stays short.
    ///
    /// Source: Pitfall 23, “One client evicts what protects another”.
    static let share = 512

    /// The pause in seconds before a failed refresh is tried again.
    static let revalidationPause: TimeInterval = 1

    private let rules: BackendCachePolicy
    /// The maximum duration of a query in seconds.
    let maxQueryDuration: TimeInterval
    private(set) var entries: [Entry?] = []
    private var timings: [Timing] = []
    private var slots: [BackendQueryKey: Int] = [:]
    private(set) var groups: [Group: BackendResultPartition] = [:]
    private var lruList = LRUList(segments: Part.allCases.count)
    var watermarks = InvalidationWatermarks()
    private var bytesByPart = [Int](repeating: 0, count: Part.allCases.count)

    init(_ settings: ProtectionSettings.Cache, maxQueryDuration: TimeInterval) {
        rules = BackendCachePolicy(settings: settings)
        self.maxQueryDuration = maxQueryDuration
    }

    var count: Int { slots.count }
    var bytes: Int { bytesByPart.reduce(0, +) }

    mutating func find(_ key: BackendQueryKey, at now: TimeInterval) -> LookupResult {
        guard let slot = slots[key], let entry = entries[slot] else { return .missing }
        lruList.use(slot)
        let timing = timings[slot]
        guard now < timing.lifetime.freshUntil else { return .missing }
        guard now >= timing.nextRevalidation else {
            return now < timing.lifetime.revalidateAt ? .fresh(entry.result) : .revalidating(entry.result, isDue: false)
        }
        timings[slot].nextRevalidation = now + Self.revalidationPause
        return .revalidating(entry.result, isDue: true)
    }

    /// Returns a result that is fresh or the last known good one, without a use of it.
    func peek(_ key: BackendQueryKey, at now: TimeInterval) -> (entry: Entry, isFresh: Bool)? {
        guard let slot = slots[key], let entry = entries[slot] else { return nil }
        let lifetime = timings[slot].lifetime
        guard now < max(lifetime.freshUntil, lifetime.goodUntil) else { return nil }
        return (entry, now < lifetime.freshUntil)
    }

    /// Returns the result that replaces a failed query.
    func lastKnownGood(_ key: BackendQueryKey, at now: TimeInterval) -> StoredResult? {
        guard let slot = slots[key], let entry = entries[slot], now < timings[slot].lifetime.goodUntil else {
            return nil
        }
        return entry.result
    }

    /// Stores a result unless a later one is cached. A rejection replaces an earlier good result, which does not
    /// return when the rejection is no longer fresh.
    mutating func store(
        _ timestamped: TimestampedResult<StoredResult>, _ subject: Subject, jitter: Double, at now: TimeInterval
    ) {
        if let slot = slots[subject.key], let known = entries[slot], known.queried.order >= timestamped.queried.order {
            return
        }
        guard !watermarks.bar(timestamped.queried, subject.groups) else { return }
        let entry = Entry(subject: subject, result: timestamped.result, queried: timestamped.queried)
        if entry.isAuthenticated, !supersede(entry) { return }
        follow(rules.invalidationScope(of: timestamped.result), of: entry, at: now)
        insert(
            entry,
            for: rules.cacheLifetime(of: timestamped.result, queried: timestamped.queried.seconds, jitter: jitter))
        for group in subject.groups { trimShare(of: group, at: now) }
        trim(at: now)
    }

    /// Removes all results of a group and prevents queries in progress from storing theirs.
    ///
    /// - Returns: The number of removed results.
    @discardableResult
    mutating func invalidate(_ group: Group, at timestamp: LogicalTimestamp) -> Int {
        watermarks.raise(group, timestamp, maxQueryDuration: maxQueryDuration)
        let found = groups[group]?.slots ?? []
        for slot in found { remove(slot) }
        return found.count
    }

    @discardableResult
    mutating func invalidateAll(at timestamp: LogicalTimestamp) -> Int {
        let all = count
        watermarks.raiseAll(timestamp)
        entries = []
        timings = []
        slots = [:]
        groups = [:]
        lruList = LRUList(segments: Part.allCases.count)
        bytesByPart = [Int](repeating: 0, count: Part.allCases.count)
        return all
    }

    /// Returns the subscribers that a group's credentials were authenticated as.
    func subscribers(authenticatedIn group: Group) -> Set<Group> {
        var found: Set<Group> = []
        for slot in groups[group]?.authenticated ?? [] {
            for other in entries[slot]?.subject.groups ?? [] where other != group { found.insert(other) }
        }
        return found
    }

    /// Removes sign-ins of the same subscriber or identifier with other proofs, including last known good ones,
    /// because the previous password is now wrong. This applies to every spelling of the identifier that the
    /// backend accepted.
    ///
    /// The comparison uses the authenticated subscriber, never the similarity of identifiers. A sign-in under a
    /// similar identifier therefore removes no result of another reader. A receipt does not become wrong because
    /// there is another receipt.
    ///
    /// - Returns: `false` if a later sign-in with other proofs is cached.
    ///
    /// Source: Pitfall 8, “Old passwords and cancelled subscriptions that live on”. Pitfall 22, “Throttle key and
    /// backend equality differ”.
    private mutating func supersede(_ entry: Entry) -> Bool {
        guard let proofs = entry.subject.proofs else { return true }
        for group in entry.subject.groups {
            for slot in groups[group]?.authenticated ?? [] {
                guard let other = entries[slot], let others = other.subject.proofs, others != proofs
                else { continue }
                if other.queried.order > entry.queried.order { return false }
                remove(slot)
            }
        }
        return true
    }

    private mutating func follow(
        _ invalidationScope: BackendCachePolicy.InvalidationScope, of entry: Entry, at now: TimeInterval
    ) {
        guard invalidationScope != .none else { return }
        for group in entry.subject.groups {
            // A query in progress about one edition may concern any other edition, so a denial of one edition
            // raises no barrier.
            if invalidationScope != .edition {
                watermarks.raise(
                    group, LogicalTimestamp(seconds: now, order: entry.queried.order &- 1),
                    maxQueryDuration: maxQueryDuration)
            }
            for slot in slots(in: group, invalidatedBy: invalidationScope, on: entry.subject.edition) {
                guard let other = entries[slot], other.queried.order < entry.queried.order else { continue }
                let isSameEdition = other.subject.edition == entry.subject.edition
                if invalidationScope.invalidates(other.result, isSameEdition: isSameEdition) { remove(slot) }
            }
        }
    }

    /// Returns the places in which a consequence can find results to remove.
    func slots(
        in group: Group, invalidatedBy invalidationScope: BackendCachePolicy.InvalidationScope, on edition: EditionID?
    ) -> Set<Int> {
        guard let partition = groups[group] else { return [] }
        return invalidationScope == .edition ? partition.verdicts(on: edition) : partition.slots
    }

    private mutating func insert(_ entry: Entry, for lifetime: BackendCachePolicy.CacheLifetime) {
        if let slot = slots[entry.subject.key] { remove(slot) }
        let slot = lruList.insert(in: entry.part.rawValue)
        let timing = Timing(lifetime: lifetime, nextRevalidation: lifetime.revalidateAt)
        while entries.count <= slot {
            entries.append(nil)
            timings.append(timing)
        }
        entries[slot] = entry
        timings[slot] = timing
        slots[entry.subject.key] = slot
        for group in entry.subject.groups {
            groups[group, default: BackendResultPartition()].insert(
                slot, on: entry.subject.edition, isAuthenticated: entry.isAuthenticated)
        }
        bytesByPart[entry.part.rawValue] += entry.bytes
    }

    mutating func remove(_ slot: Int) {
        guard let entry = entries[slot] else { return }
        entries[slot] = nil
        slots[entry.subject.key] = nil
        for group in entry.subject.groups {
            groups[group]?.remove(slot, on: entry.subject.edition)
            if groups[group]?.count == 0 { groups[group] = nil }
        }
        lruList.remove(slot)
        bytesByPart[entry.part.rawValue] -= entry.bytes
    }

    /// Ends the freshness of a subscription, which remains available as a last known good result.
    mutating func age(_ slot: Int, at now: TimeInterval) {
        guard let entry = entries[slot], case .subscription = entry.result else { return }
        timings[slot].lifetime = timings[slot].lifetime.endingFreshness(at: now)
        timings[slot].nextRevalidation = min(timings[slot].nextRevalidation, now)
    }

    /// Removes a quarter of a group's results if the group exceeds its share. Results that cannot help in an outage
    /// go first, then the oldest queries.
    private mutating func trimShare(of group: Group, at now: TimeInterval) {
        guard let slots = groups[group]?.slots, slots.count > Self.share else { return }
        let order = slots.compactMap { slot in
            entries[slot].map { (slot, isGood: now < timings[slot].lifetime.goodUntil, order: $0.queried.order) }
        }.sorted { ($0.isGood ? 1 : 0, $0.order) < ($1.isGood ? 1 : 0, $1.order) }
        for (slot, _, _) in order.prefix(slots.count / 4) { remove(slot) }
    }

    /// Evicts until the limits hold, and removes up to two expired results of each part that were used least
    /// recently.
    private mutating func trim(at now: TimeInterval) {
        for part in Part.allCases {
            for _ in 0..<2 {
                guard let oldest = lruList.oldest(in: part.rawValue) else { break }
                let lifetime = timings[oldest].lifetime
                guard now >= max(lifetime.goodUntil, lifetime.freshUntil) + maxQueryDuration else { break }
                remove(oldest)
            }
        }
        let limit = rules.settings.memory
        trim(.rejections, while: { $0.bytesByPart[Part.rejections.rawValue] > limit / Self.rejectionsShare })
        trim(.readers, while: { $0.bytes > limit })
        // This call matters if the limit has room for a single result only.
        trim(.rejections, while: { $0.bytes > limit })
    }

    private mutating func trim(_ part: Part, while isTooMuch: (Self) -> Bool) {
        while isTooMuch(self), let oldest = lruList.oldest(in: part.rawValue) { remove(oldest) }
    }
}
