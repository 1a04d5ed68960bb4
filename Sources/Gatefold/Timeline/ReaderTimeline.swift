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

    private let store: any TimelineStore & AuditLog

    package init(_ store: any TimelineStore & AuditLog) { self.store = store }

    /// Returns a page.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the page; nil for the first one.
    ///   - limit: The maximum number of items, 1 or more.
    package func page(of reader: TimelineReader, after cursor: TimelineCursor? = nil, limit: Int) async throws -> Page {
        let cursor = cursor ?? TimelineCursor()
        var events: [StoredTimelineEntry] = []
        for subject in reader.subjects {
            events += try await store.entries(of: subject, before: cursor.event, limit: limit + 1)
        }
        var actions: [AuditEntry] = []
        for subject in reader.audited {
            let filter = AuditQuery.Filter(subject: subject.description)
            actions += try await store.page(
                AuditQuery(.newestFirst(before: cursor.action), limit: limit + 1, filter: filter))
        }
        events.sort { $0.position > $1.position }
        actions.sort { $0.sequence > $1.sequence }
        return Self.merge(events[...], actions[...], cursor, limit)
    }

    /// Takes the newer of the first event and the first action until the page is full, so that each list is read in its own
    /// order and none of its entries is missed.
    private static func merge(
        _ events: ArraySlice<StoredTimelineEntry>, _ actions: ArraySlice<AuditEntry>, _ cursor: TimelineCursor,
        _ limit: Int
    ) -> Page {
        var (events, actions, next) = (events, actions, cursor)
        var items: [TimelineItem] = []
        while items.count < limit {
            if let event = events.first, actions.first.map({ $0.time <= event.entry.time }) ?? true {
                items.append(.event(event))
                next.event = event.position
                events.removeFirst()
            } else if let action = actions.popFirst() {
                items.append(.staff(action))
                next.action = action.sequence
            } else {
                break
            }
        }
        return Page(items: items, next: events.isEmpty && actions.isEmpty ? nil : next)
    }
}

/// The position in a reader's timeline after which a page begins.
package struct TimelineCursor: Sendable, Equatable, CustomStringConvertible {
    package var event: TimelinePosition?
    /// The number of an entry of the audit log.
    package var action: Int64?

    package init() {}

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
