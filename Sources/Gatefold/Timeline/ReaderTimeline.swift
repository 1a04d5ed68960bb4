package import Foundation
import Primitives

/// The names by which events and administrative actions know one reader.
package struct TimelineReader: Sendable {
    package var subjects: Set<TimelineSubject> = []
    package var audited: Set<AuditSubject> = []

    package init() {}

    /// Adds a subscriber.
    package mutating func add(_ subscriber: Subscriber, _ key: PseudonymKey) {
        add(key.reference(to: subscriber))
        add(key.owner(subscriber), key)
    }

    /// Adds a subscriber whose backend and key are not known.
    package mutating func add(_ pseudonym: SubscriberPseudonym) {
        subjects.insert(.subscriber(pseudonym))
        audited.insert(.subscriber(pseudonym))
    }

    /// Adds an owner of purchases, to whom downloads without a subscriber are issued.
    package mutating func add(_ owner: PurchaseOwner, _ key: PseudonymKey) {
        let principal = Subscriber(backend: Subscriber.purchasesBackend, key: owner.description)
        subjects.formUnion([.owner(owner), .subscriber(key.reference(to: principal))])
        audited.insert(.owner(owner))
    }

    /// Adds what the reader may have typed at sign-in.
    package mutating func add(identifier: String, _ key: PseudonymKey) {
        subjects.insert(.identifier(key.typedIdentifier(identifier)))
        audited.insert(.identifier(identifier, key))
    }
}

/// An item of a reader's timeline.
package enum TimelineItem: Sendable {
    case event(StoredTimelineEntry)
    /// An action of the staff, from the audit log.
    case staff(AuditEntry)

    package var time: Date {
        switch self {
        case .event(let stored): stored.entry.time
        case .staff(let entry): entry.time
        }
    }
}

/// The events of one reader and the actions of the staff about the reader, newest first.
package struct ReaderTimeline: Sendable {
    package struct Page: Sendable {
        package let items: [TimelineItem]
        /// The cursor of the next page; nil if this is the last one.
        package let next: TimelineCursor?
    }

    /// The number of reads at most for one page of chosen items, and the minimum number of items of a read.
    private static let maxReads = 10, minBatch = 50

    private let store: any TimelineStore & AuditLog

    package init(_ store: any TimelineStore & AuditLog) { self.store = store }

    /// Returns a page of the items that are chosen. If few are, a page may have fewer items than the limit although others
    /// follow.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the page; nil for the first one.
    ///   - limit: The maximum number of items, 1 or more.
    ///   - includesReads: Whether actions of the staff that change nothing are on a page. The store leaves them out, because
    ///     each look at a reader adds some, and many of them would hide what happened.
    ///   - isChosen: Returns whether an item is on a page. Default: each is.
    package func page(
        of reader: TimelineReader, after cursor: TimelineCursor? = nil, limit: Int, includesReads: Bool,
        where isChosen: (TimelineItem) -> Bool = { _ in true }
    ) async throws -> Page {
        var position = cursor ?? TimelineCursor()
        var chosen: [TimelineItem] = []
        for _ in 0..<Self.maxReads {
            let (items, hasMore) = try await items(
                of: reader, after: position, limit: max(limit, Self.minBatch), includesReads)
            for (number, item) in items.enumerated() {
                position.pass(item)
                if isChosen(item) { chosen.append(item) }
                if chosen.count == limit {
                    return Page(items: chosen, next: hasMore || number + 1 < items.count ? position : nil)
                }
            }
            if !hasMore { return Page(items: chosen, next: nil) }
        }
        return Page(items: chosen, next: position)
    }

    /// Returns the items after a position, and whether others follow.
    private func items(
        of reader: TimelineReader, after position: TimelineCursor, limit: Int, _ includesReads: Bool
    ) async throws -> ([TimelineItem], hasMore: Bool) {
        var events: [StoredTimelineEntry] = []
        for subject in reader.subjects {
            events += try await store.entries(of: subject, before: position.event, limit: limit + 1)
        }
        var actions: [AuditEntry] = []
        for subject in reader.audited {
            let filter = AuditQuery.Filter(
                subject: subject.description, excluded: includesReads ? [] : AuditAction.reads)
            actions += try await store.page(
                AuditQuery(.newestFirst(before: position.action), limit: limit + 1, filter: filter))
        }
        events.sort { $0.position > $1.position }
        actions.sort { $0.sequence > $1.sequence }
        return Self.merge(events[...], actions[...], limit)
    }

    /// Takes the newer of the first event and the first action until the page is full, so that each list is read in its own
    /// order and none of its entries is missed.
    private static func merge(
        _ events: ArraySlice<StoredTimelineEntry>, _ actions: ArraySlice<AuditEntry>, _ limit: Int
    ) -> ([TimelineItem], hasMore: Bool) {
        var (events, actions) = (events, actions)
        var items: [TimelineItem] = []
        while items.count < limit {
            if let event = events.first, actions.first.map({ $0.time <= event.entry.time }) ?? true {
                items.append(.event(event))
                events.removeFirst()
            } else if let action = actions.popFirst() {
                items.append(.staff(action))
            } else {
                break
            }
        }
        return (items, !events.isEmpty || !actions.isEmpty)
    }
}

/// The position in a reader's timeline after which a page begins.
package struct TimelineCursor: Sendable, Equatable, CustomStringConvertible {
    package var event: TimelinePosition?
    /// The number of an entry of the audit log.
    package var action: Int64?

    package init() {}

    /// Moves the position behind an item.
    mutating func pass(_ item: TimelineItem) {
        switch item {
        case .event(let event): self.event = event.position
        case .staff(let entry): action = entry.sequence
        }
    }

    /// Parses the format of ``description``.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        if !(parts[0].isEmpty && parts[1].isEmpty) {
            guard let bits = UInt64(parts[0], radix: 16), let sequence = Int64(parts[1]) else { return nil }
            let seconds = Double(bitPattern: bits)
            guard seconds.isFinite else { return nil }
            event = TimelinePosition(time: Date(timeIntervalSince1970: seconds), sequence: sequence)
        }
        if !parts[2].isEmpty {
            guard let action = Int64(parts[2]) else { return nil }
            self.action = action
        }
    }

    package var description: String {
        let event = event.map { "\(String($0.time.timeIntervalSince1970.bitPattern, radix: 16))_\($0.sequence)" } ?? "_"
        return "\(event)_\(action.map(String.init) ?? "")"
    }
}
