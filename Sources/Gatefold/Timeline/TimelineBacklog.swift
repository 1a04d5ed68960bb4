import Foundation

/// The entries that wait for the store, in the order of their first repetition. Entries of the same event are one.
struct TimelineBacklog {
    private struct Key: Hashable {
        let subject: TimelineSubject
        let event: TimelineEvent
    }

    private let capacity: Int
    private var entries: [Key: TimelineEntry] = [:]
    private var order: [Key] = []

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Adds an entry.
    ///
    /// - Returns: False if it is dropped because the backlog is full.
    mutating func add(_ entry: TimelineEntry) -> Bool {
        let key = Key(subject: entry.subject, event: entry.event)
        if let known = entries[key] {
            entries[key] = TimelineEntry(
                entry.event, of: entry.subject, at: min(known.time, entry.time),
                until: max(known.lastTime, entry.lastTime), count: known.count + entry.count)
            return true
        }
        guard entries.count < capacity else { return false }
        entries[key] = entry
        order.append(key)
        return true
    }

    /// Removes and returns the oldest entries.
    mutating func take(_ count: Int) -> [TimelineEntry] {
        let taken = order.prefix(count).compactMap { entries.removeValue(forKey: $0) }
        order.removeFirst(min(count, order.count))
        return taken
    }

    /// Puts entries back that could not be written, before the others.
    mutating func putBack(_ taken: [TimelineEntry]) {
        var backlog = TimelineBacklog(capacity: capacity + taken.count)
        for entry in taken + order.compactMap({ entries[$0] }) { _ = backlog.add(entry) }
        (entries, order) = (backlog.entries, backlog.order)
    }

    mutating func remove(_ subjects: Set<TimelineSubject>) {
        order.removeAll { subjects.contains($0.subject) }
        entries = entries.filter { !subjects.contains($0.key.subject) }
    }
}
