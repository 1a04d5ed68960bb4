import Foundation
import Synchronization

/// Why the last real answer about a reader, or a reader and an edition, opened nothing.
public enum Denial: UInt8, Sendable {
    case edition = 1
    case stale, inactive, suspended, unknown

    /// Nil where a subscription in this state is no denial.
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

/// Knows for whom the last real answer was a denial, so that an outage does not undo it (PITFALLS rows 9 and 10).
///
/// One serves all publications of a process and outlives their configuration: reading it again in an outage forgives nobody.
/// What changes in it is shared with other processes and comes back after a restart; see ``follow(_:at:)``.
///
/// Bounded, and divided by who can fill it (PITFALLS row 23): a subscriber has a share of so many denials that are held apart.
/// The editions of more are ``DeniedEditions``, which never miss one, and out of which only a grant takes an edition. When all
/// shares together are too many, those of the subscribers denied least lately are forgotten.
public final class DenialCache: Sendable {
    enum Key: Hashable {
        /// Denied while the last word about them was anything but "active". The backend said it, whichever publication
        /// asked: whom it refused in one it refused in all that ask it the same.
        case reader(SubscriberReference, Asked)
        /// What opens an edition is also up to the publication.
        case edition(EditionID, SubscriberReference, PublicationID, Asked)

        var subscriber: SubscriberReference {
            switch self {
            case .reader(let subscriber, _), .edition(_, let subscriber, _, _): subscriber
            }
        }

        /// The reader as a whole.
        var reader: Key {
            switch self {
            case .reader: self
            case .edition(_, let subscriber, _, let asked): .reader(subscriber, asked)
            }
        }

        var isOfEdition: Bool {
            if case .edition = self { true } else { false }
        }
    }

    /// Who was asked, and what the answer depended on beside the subject.
    struct Asked: Hashable {
        let backend: String
        /// A digest of the request's fields that decide; empty where none does.
        let fields: [UInt8]
    }

    /// What was said last of a reader, or of a reader and an edition.
    struct Word: Sendable {
        let key: Key
        let denial: Denial?
        var isRefusal: Bool { denial != nil }
    }

    struct Entry {
        var denial: Denial
        /// When this process learnt it: an answer to a question from before does not end it.
        var order: UInt64
    }

    struct Share {
        var entries: [Key: Entry] = [:]
        /// The editions denied before those in the entries, where there were too many.
        var many: DeniedEditions?
        /// When an edition of these was denied last, as of an ``Entry``.
        var manyOrder: UInt64 = 0
        /// What was granted since, out of these, and when.
        var granted: [Key: UInt64] = [:]

        var count: Int { entries.count + granted.count + (many == nil ? 0 : DeniedEditions.weight) }

        /// When one of these was denied last, where the edition is one and was not granted since; else nil.
        func order(among key: Key) -> UInt64? {
            guard let many, case .edition(let edition, _, _, _) = key, granted[key] == nil, many.contains(edition)
            else { return nil }
            return manyOrder
        }

        func isOneOfMany(_ key: Key) -> Bool { order(among: key) != nil }
    }

    struct Contents {
        var recent: [SubscriberReference: Share] = [:]
        var older: [SubscriberReference: Share] = [:]
        /// In the recent shares.
        var count = 0
        /// Of the latest denial.
        var order: UInt64 = 0

        func share(of subscriber: SubscriberReference) -> Share? { recent[subscriber] ?? older[subscriber] }

        /// Takes a share out to be changed, so that it is not copied.
        mutating func take(_ subscriber: SubscriberReference) -> Share {
            guard let share = recent.removeValue(forKey: subscriber) else {
                return older.removeValue(forKey: subscriber) ?? Share()
            }
            count -= share.count
            return share
        }

        mutating func put(_ share: Share, of subscriber: SubscriberReference) {
            if share.count == 0 { return }
            recent[subscriber] = share
            count += share.count
        }

        /// - Returns: what was forgotten to make room.
        mutating func makeRoom(_ capacity: Int) -> [SubscriberReference: Share] {
            guard count >= capacity / 2 else { return [:] }
            let forgotten = older
            (older, recent, count) = (recent, [:], 0)
            return forgotten
        }
    }

    /// A denial outlives every token that it keeps from opening something, unless it is ended by an answer.
    static let lifetime: TimeInterval = 400 * 86_400
    /// That a denial ended is known to every process that runs long before this.
    static let endedLifetime: TimeInterval = 86_400

    let capacity: Int
    let shareLimit: Int
    /// Grants out of many denied editions, of one subscriber: only a backend adds to them.
    var grantLimit: Int { 4 * shareLimit }
    private let record: @Sendable (SharedFact) -> Void
    let clock: WallClock
    let contents = Mutex(Contents())

    /// - Parameters:
    ///   - capacity: the most denials that are remembered.
    ///   - share: the most of one subscriber that are held apart.
    ///   - clock: when what is shared happened.
    ///   - record: takes what other processes have to know; returns at once.
    public init(
        capacity: Int = 200_000, share: Int = 128, clock: WallClock = .system,
        record: @escaping @Sendable (SharedFact) -> Void = { _ in }
    ) {
        self.clock = clock
        self.capacity = capacity
        shareLimit = share
        self.record = record
    }

    /// How many denials there are.
    var count: Int {
        contents.withLock { contents in contents.count + contents.older.values.reduce(0) { $0 + $1.count } }
    }

    /// The latest denial's, to be noted before a question is asked.
    var order: UInt64 { contents.withLock(\.order) }

    /// - Parameters:
    ///   - denial: nil ends a denial.
    ///   - isEarlier: whether the answer was given before, so that it may be older than a denial: it ends none.
    ///   - asked: the ``order`` when the question was asked, so that nothing ends a denial from later; nil for now.
    func note(_ key: Key, _ denial: Denial?, isEarlier: Bool = false, asked: UInt64? = nil) {
        guard denial != nil || !isEarlier else { return }
        let forgotten = contents.withLock { contents -> [SubscriberReference: Share] in
            // Recorded within the lock, so that facts of one ID come in their order.
            guard let denial else {
                if let fact = end(&contents, key, asked: asked ?? .max) { record(fact) }
                return [:]
            }
            let (forgotten, facts) = begin(&contents, key, denial)
            for fact in facts { record(fact) }
            return forgotten
        }
        // Freed only here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
    }

    /// Whether the edition, or its reader as a whole, was denied.
    func wasDenied(_ key: Key) -> Bool {
        contents.withLock { contents in
            guard let share = contents.share(of: key.subscriber) else { return false }
            return share.entries[key] != nil || share.entries[key.reader] != nil || share.isOneOfMany(key)
        }
    }

    /// Whether the edition itself is known to have been denied, whatever was said of its reader.
    func wasEditionDenied(_ key: Key) -> Bool {
        contents.withLock { contents in
            guard let share = contents.share(of: key.subscriber) else { return false }
            return share.entries[key] != nil || share.isOneOfMany(key)
        }
    }

    private func end(_ contents: inout Contents, _ key: Key, asked: UInt64) -> SharedFact? {
        let known = contents.share(of: key.subscriber).map { (entry: $0.entries[key], many: $0.order(among: key)) }
        guard let known, let latest = [known.entry?.order, known.many].compactMap(\.self).max(), latest <= asked
        else { return nil }
        contents.order += 1
        let order = contents.order
        contents.change(key.subscriber) { $0.end(key, order, most: grantLimit) }
        return Self.fact(key, known.many == nil ? .ended : .granted, at: clock.now)
    }

    private func begin(
        _ contents: inout Contents, _ key: Key, _ denial: Denial
    ) -> ([SubscriberReference: Share], [SharedFact]) {
        contents.order += 1
        let order = contents.order
        var (news, many): (Bool, DeniedEditions?) = (false, nil)
        contents.change(key.subscriber) { share in
            let known = share.entries[key]?.denial
            if known == nil, share.order(among: key) != nil {
                share.manyOrder = order
                return
            }
            let before = share.many
            let hadRoom = share.note(key, Entry(denial: denial, order: order), most: shareLimit)
            // Anybody can make up fields that a reader is asked about with: of those that found no room, no other learns.
            news = known != denial && (hadRoom || key.isOfEdition)
            if share.many != before { many = share.many }
        }
        let forgotten = contents.makeRoom(capacity)
        let moment = clock.now
        return (
            forgotten,
            [
                many.map { Self.fact($0, of: key.subscriber, at: moment) },
                news ? Self.fact(key, .begun(denial), at: moment) : nil,
            ].compactMap(\.self)
        )
    }
}

extension DenialCache.Contents {
    mutating func change(_ subscriber: SubscriberReference, _ change: (inout DenialCache.Share) -> Void) {
        var share = take(subscriber)
        change(&share)
        put(share, of: subscriber)
    }
}

extension DenialCache.Share {
    /// Where there are too many, the editions no longer have entries of their own; of what was said of the reader as a whole
    /// the latest that fit are kept, and every edition is denied that one of the others denied.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    mutating func note(_ key: DenialCache.Key, _ entry: DenialCache.Entry, most: Int) -> Bool {
        let hasRoom = entries[key] != nil || entries.count < most
        if !hasRoom {
            gather()
            if entries.count >= most, let oldest = entries.min(by: { $0.value.order < $1.value.order })?.key {
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
        let before = many
        many = before?.union(editions) ?? editions
        manyOrder = max(manyOrder, order)
        // Nothing was granted since everything was denied.
        if many == .all, before != .all { granted = [:] }
    }

    /// Ends a denial by a grant.
    mutating func end(_ key: DenialCache.Key, _ order: UInt64, most: Int) {
        entries[key] = nil
        if isOneOfMany(key) { grant(key, order, most: most) }
    }

    mutating func grant(_ key: DenialCache.Key, _ order: UInt64, most: Int) {
        granted[key] = order
        if granted.count > most, let oldest = granted.min(by: { $0.value < $1.value })?.key { granted[oldest] = nil }
    }
}
