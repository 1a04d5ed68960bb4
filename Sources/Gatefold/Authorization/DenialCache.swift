import Foundation
public import Primitives
import Synchronization

/// The reason why the last real result for a reader, or for a reader and an edition, opened nothing.
public enum Denial: UInt8, Sendable {
    case edition = 1
    case stale, inactive, suspended, unknown

    /// Creates the denial for a subscription state, or returns nil if the state is not a denial.
    init?(_ state: SubscriptionState) {
        switch state {
        case .active: return nil
        case .stale: self = .stale
        case .inactive: self = .inactive
        case .suspended: self = .suspended
        case .unknown: self = .unknown
        }
    }
}

/// A cache of the readers whose last real result was a denial, so that an outage does not undo the denial.
///
/// One cache serves all publications of a process and outlives their configuration, because a reload during an
/// outage must not clear denials. Changes are shared with other processes and restored after a restart; see
/// ``follow(_:)``.
///
/// The cache is bounded, and each subscriber has a share of its own. A share stores a limited number of denials
/// separately. Further editions go into `DeniedEditions`, which never misses a denied edition, and from which
/// only a grant removes an edition. When all shares together exceed the capacity, the cache drops the subscribers
/// with the least recent denials.
///
/// Source: Pitfall 9, “Outage and rejection confused”; Pitfall 10, “Fail open wider than intended”; Pitfall 23,
/// “One client evicts what protects another”.
public final class DenialCache: Sendable {
    enum Key: Hashable {
        /// A denial of the reader, current while the backend's last state for the reader is not "active". The key
        /// holds no publication, because the backend's denial applies to every publication that sends the same
        /// query.
        case reader(SubscriberPseudonym, QueriedFields)
        /// A denial of an edition. The key holds the publication, because its rules also decide which editions
        /// open.
        case edition(EditionID, SubscriberPseudonym, PublicationID, QueriedFields)

        var subscriber: SubscriberPseudonym {
            switch self {
            case .reader(let subscriber, _), .edition(_, let subscriber, _, _): subscriber
            }
        }

        /// The key of the reader as a whole.
        var reader: Key {
            switch self {
            case .reader: self
            case .edition(_, let subscriber, _, let queried): .reader(subscriber, queried)
            }
        }

        var isEditionSpecific: Bool {
            if case .edition = self { true } else { false }
        }
    }

    /// The backend and the request fields that a result depends on, in addition to the subject.
    struct QueriedFields: Hashable {
        let backend: String
        /// A digest of the request fields that affect the result. Empty if no field does.
        let fields: [UInt8]
    }

    struct Entry {
        var denial: Denial
        /// The order in which this process learned of the denial. A result of an earlier query does not end the
        /// denial.
        var order: UInt64
    }

    struct Share {
        var entries: [Key: Entry] = [:]
        /// The editions of earlier denials that no longer fit in the entries.
        var deniedEditions: DeniedEditions?
        /// The order of the latest denial among these editions, comparable to the order of an ``Entry``.
        var deniedEditionsOrder: UInt64 = 0
        /// The later grants of editions in the set, each with its order.
        var granted: [Key: UInt64] = [:]

        var count: Int { entries.count + granted.count + (deniedEditions == nil ? 0 : DeniedEditions.weight) }

        /// Returns the order of the latest denial of the set if it contains the edition and the edition was not
        /// granted since, otherwise nil.
        func order(among key: Key) -> UInt64? {
            guard let deniedEditions, case .edition(let edition, _, _, _) = key, granted[key] == nil,
                deniedEditions.contains(edition)
            else { return nil }
            return deniedEditionsOrder
        }

        func isAmongDeniedEditions(_ key: Key) -> Bool { order(among: key) != nil }
    }

    struct Contents {
        var recent: [SubscriberPseudonym: Share] = [:]
        var older: [SubscriberPseudonym: Share] = [:]
        /// The number of items in the recent shares.
        var count = 0
        /// The order of the latest change.
        var order: UInt64 = 0

        func share(of subscriber: SubscriberPseudonym) -> Share? { recent[subscriber] ?? older[subscriber] }

        /// Removes a share so that the caller can change it without a copy.
        mutating func take(_ subscriber: SubscriberPseudonym) -> Share {
            guard let share = recent.removeValue(forKey: subscriber) else {
                return older.removeValue(forKey: subscriber) ?? Share()
            }
            count -= share.count
            return share
        }

        mutating func put(_ share: Share, of subscriber: SubscriberPseudonym) {
            if share.count == 0 { return }
            recent[subscriber] = share
            count += share.count
        }

        /// Makes room for new shares.
        ///
        /// - Returns: The shares that were dropped.
        mutating func makeRoom(_ capacity: Int) -> [SubscriberPseudonym: Share] {
            guard count >= capacity / 2 else { return [:] }
            let evicted = older
            (older, recent, count) = (recent, [:], 0)
            return evicted
        }
    }

    /// The lifetime of a denial: 400 days. A denial outlives every token that it restricts, unless a later result
    /// ends it.
    static let lifetime: TimeInterval = 400 * 86_400
    /// The lifetime of the end of a denial: 1 day. Every running process learns of the end long before that.
    static let endedDenialLifetime: TimeInterval = 86_400

    let capacity: Int
    let shareLimit: Int
    /// The maximum number of stored grants of one subscriber out of the denied editions. Only a backend adds
    /// grants.
    var grantLimit: Int { 4 * shareLimit }
    private let record: @Sendable (SharedFact) -> Void
    let clock: WallClock
    let contents = Mutex(Contents())

    /// - Parameters:
    ///   - capacity: The maximum number of cached denials.
    ///   - share: The maximum number of denials of one subscriber that are stored separately.
    ///   - clock: The clock for the timestamps of shared facts.
    ///   - record: A closure that shares a fact with other processes. It must return immediately.
    public init(
        capacity: Int = 200_000, share: Int = 128, clock: WallClock = .system,
        record: @escaping @Sendable (SharedFact) -> Void = { _ in }
    ) {
        self.clock = clock
        self.capacity = capacity
        shareLimit = share
        self.record = record
    }

    /// The number of cached items.
    var count: Int {
        contents.withLock { contents in contents.count + contents.older.values.reduce(0) { $0 + $1.count } }
    }

    /// The order of the latest change. Read it before a query is sent.
    var order: UInt64 { contents.withLock(\.order) }

    /// Records a result.
    ///
    /// - Parameters:
    ///   - denial: The denial, or nil to end a denial.
    ///   - isLastKnownGood: A Boolean value that indicates whether the result was given before. Such a result may be
    ///     older than a denial, so it ends none.
    ///   - queried: The ``order`` when the query was sent, so that the result ends no later denial. Nil means now.
    func record(_ key: Key, _ denial: Denial?, isLastKnownGood: Bool = false, queried: UInt64? = nil) {
        guard denial != nil || !isLastKnownGood else { return }
        let evicted = contents.withLock { contents -> [SubscriberPseudonym: Share] in
            // Facts are recorded within the lock so that the facts of one ID keep their order.
            guard let denial else {
                if let fact = end(&contents, key, queried: queried ?? .max) { record(fact) }
                return [:]
            }
            let (evicted, facts) = begin(&contents, key, denial)
            for fact in facts { record(fact) }
            return evicted
        }
        // Dropped shares are freed outside the lock, where no other task waits.
        withExtendedLifetime(evicted) {}
    }

    /// Returns whether the edition, or its reader as a whole, was denied.
    func wasDenied(_ key: Key) -> Bool {
        contents.withLock { contents in
            guard let share = contents.share(of: key.subscriber) else { return false }
            return share.entries[key] != nil || share.entries[key.reader] != nil || share.isAmongDeniedEditions(key)
        }
    }

    /// Returns whether the edition itself was denied, regardless of the state of its reader.
    func wasEditionDenied(_ key: Key) -> Bool {
        contents.withLock { contents in
            guard let share = contents.share(of: key.subscriber) else { return false }
            return share.entries[key] != nil || share.isAmongDeniedEditions(key)
        }
    }

    private func end(_ contents: inout Contents, _ key: Key, queried: UInt64) -> SharedFact? {
        let known = contents.share(of: key.subscriber).map {
            (entry: $0.entries[key], deniedEditions: $0.order(among: key))
        }
        guard let known, let latest = [known.entry?.order, known.deniedEditions].compactMap(\.self).max(),
            latest <= queried
        else { return nil }
        contents.order += 1
        let order = contents.order
        contents.change(key.subscriber) { $0.end(key, order, limit: grantLimit) }
        return Self.fact(key, known.deniedEditions == nil ? .ended : .granted, at: clock.now)
    }

    private func begin(
        _ contents: inout Contents, _ key: Key, _ denial: Denial
    ) -> ([SubscriberPseudonym: Share], [SharedFact]) {
        contents.order += 1
        let order = contents.order
        var (isNew, deniedEditions): (Bool, DeniedEditions?) = (false, nil)
        contents.change(key.subscriber) { share in
            let known = share.entries[key]?.denial
            if known == nil, share.order(among: key) != nil {
                share.deniedEditionsOrder = order
                return
            }
            let before = share.deniedEditions
            let hadRoom = share.record(key, Entry(denial: denial, order: order), limit: shareLimit)
            // Any client can invent the request fields that make up a reader's key. Denials of a reader that found
            // no room are therefore not shared.
            isNew = known != denial && (hadRoom || key.isEditionSpecific)
            if share.deniedEditions != before { deniedEditions = share.deniedEditions }
        }
        let evicted = contents.makeRoom(capacity)
        let timestamp = clock.now
        return (
            evicted,
            [
                deniedEditions.map { Self.fact($0, of: key.subscriber, at: timestamp) },
                isNew ? Self.fact(key, .denied(denial), at: timestamp) : nil,
            ].compactMap(\.self)
        )
    }
}

extension DenialCache.Contents {
    mutating func change(_ subscriber: SubscriberPseudonym, _ change: (inout DenialCache.Share) -> Void) {
        var share = take(subscriber)
        change(&share)
        put(share, of: subscriber)
    }
}

extension DenialCache.Share {
    /// Stores a denial. If the share is full, its editions move into the set of denied editions. Of the denials of
    /// the reader as a whole, the share keeps the latest that fit; if it drops one, every edition counts as denied.
    ///
    /// - Returns: Whether the share had room.
    @discardableResult
    mutating func record(_ key: DenialCache.Key, _ entry: DenialCache.Entry, limit: Int) -> Bool {
        let hasRoom = entries[key] != nil || entries.count < limit
        if !hasRoom {
            gather()
            if entries.count >= limit, let oldest = entries.min(by: { $0.value.order < $1.value.order })?.key {
                entries[oldest] = nil
                join(.all, entry.order)
            }
        }
        granted[key] = nil
        entries[key] = entry
        return hasRoom
    }

    private mutating func gather() {
        var editions = DeniedEditions()
        var (rest, latest): ([DenialCache.Key: DenialCache.Entry], UInt64) = ([:], 0)
        for (key, entry) in entries {
            if case .edition(let edition, _, _, _) = key {
                editions.insert(edition)
                latest = max(latest, entry.order)
            } else {
                rest[key] = entry
            }
        }
        entries = rest
        join(editions, latest)
    }

    mutating func join(_ editions: DeniedEditions, _ order: UInt64) {
        let before = deniedEditions
        deniedEditions = before?.union(editions) ?? editions
        deniedEditionsOrder = max(deniedEditionsOrder, order)
        // No grant is newer than a denial of everything.
        if deniedEditions == .all, before != .all { granted = [:] }
    }

    /// Ends a denial because of a grant.
    mutating func end(_ key: DenialCache.Key, _ order: UInt64, limit: Int) {
        entries[key] = nil
        if isAmongDeniedEditions(key) { grant(key, order, limit: limit) }
    }

    mutating func grant(_ key: DenialCache.Key, _ order: UInt64, limit: Int) {
        granted[key] = order
        if granted.count > limit, let oldest = granted.min(by: { $0.value < $1.value })?.key { granted[oldest] = nil }
    }
}
