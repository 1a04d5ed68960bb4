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
/// Bounded, and divided by who can fill it (PITFALLS row 23): a subscriber has a share of so many denials. One with more is
/// denied every edition, as nobody could say any longer which of them were denied. When all shares together are too many, those
/// of the subscribers denied least lately are forgotten.
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
        /// Had more denials than fit: every edition is denied.
        var isExhausted = false

        var count: Int { entries.count + (isExhausted ? 1 : 0) }
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
    private let record: @Sendable (SharedFact) -> Void
    let clock: WallClock
    let contents = Mutex(Contents())

    /// - Parameters:
    ///   - capacity: the most denials that are remembered.
    ///   - share: the most of one subscriber.
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
        let (forgotten, fact) = contents.withLock { contents in
            guard let denial else { return ([:], end(&contents, key, asked: asked ?? .max)) }
            return begin(&contents, key, denial)
        }
        if let fact { record(fact) }
        // Freed only here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
    }

    /// Whether the edition, or its reader as a whole, was denied.
    func wasDenied(_ key: Key) -> Bool {
        contents.withLock { contents in
            guard let share = contents.share(of: key.subscriber) else { return false }
            return share.entries[key] != nil || share.entries[key.reader] != nil
                || share.isExhausted && key.isOfEdition
        }
    }

    /// Whether the edition itself is known to have been denied, whatever was said of its reader.
    func wasEditionDenied(_ key: Key) -> Bool {
        contents.withLock { contents in contents.share(of: key.subscriber)?.entries[key] != nil }
    }

    private func end(_ contents: inout Contents, _ key: Key, asked: UInt64) -> SharedFact? {
        guard let entry = contents.share(of: key.subscriber)?.entries[key], entry.order <= asked else { return nil }
        var share = contents.take(key.subscriber)
        share.entries[key] = nil
        contents.put(share, of: key.subscriber)
        return Self.fact(key, nil, at: clock.now)
    }

    private func begin(
        _ contents: inout Contents, _ key: Key, _ denial: Denial
    ) -> ([SubscriberReference: Share], SharedFact?) {
        let known = contents.share(of: key.subscriber)?.entries[key]?.denial
        let wasExhausted = contents.share(of: key.subscriber)?.isExhausted ?? false
        if wasExhausted, key.isOfEdition {
            return ([:], Self.exhausted(key.subscriber, at: clock.now))
        }
        contents.order += 1
        var share = contents.take(key.subscriber)
        let hadRoom = share.note(key, Entry(denial: denial, order: contents.order), most: shareLimit)
        let forgotten = contents.makeRoom(capacity)
        contents.put(share, of: key.subscriber)
        guard known != denial else { return (forgotten, nil) }
        if hadRoom { return (forgotten, Self.fact(key, denial, at: clock.now)) }
        return (forgotten, wasExhausted ? nil : Self.exhausted(key.subscriber, at: clock.now))
    }
}

extension DenialCache.Share {
    /// Where there are too many, gives up which editions were denied; of what was said of the reader as a whole it keeps the
    /// latest that fit.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    mutating func note(_ key: DenialCache.Key, _ entry: DenialCache.Entry, most: Int) -> Bool {
        let hasRoom = entries[key] != nil || entries.count < most
        if !hasRoom {
            exhaust()
            if key.isOfEdition { return false }
            if entries.count >= most, let oldest = entries.min(by: { $0.value.order < $1.value.order })?.key {
                entries[oldest] = nil
            }
        }
        entries[key] = entry
        return hasRoom
    }

    mutating func exhaust() {
        isExhausted = true
        entries = entries.filter { !$0.key.isOfEdition }
    }
}
