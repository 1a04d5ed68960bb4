import Foundation

/// The events that wait for the store, in the order of their first repetition, and the batch that is being written.
///
/// Each event of a batch has a number, which it keeps until it is written, so that the store never has it twice.
struct TimelineBacklog {
    /// The time in seconds within which the same event of a subject is a repetition.
    private static let window: TimeInterval = 10

    private let capacity: Int
    private let batchSize: Int
    private var waiting: [QueuedEvent] = []
    /// The number of events that were ever taken from ``waiting``, which makes the positions in ``latest`` last.
    private var taken = 0
    /// The position of the latest waiting event of each subject.
    private var latest: [TimelineSubject: Int] = [:]
    private var unverified = 0
    private var batch: [QueuedEvent] = []
    /// The number of the first event of the batch.
    private(set) var number: Int64 = 1
    /// The number of events of the batch that are written together.
    private var size: Int

    init(capacity: Int, batchSize: Int) {
        self.capacity = capacity
        self.batchSize = batchSize
        size = batchSize
    }

    /// The number of entries.
    var count: Int { waiting.count + batch.count }

    /// Adds an event. If it repeats the latest event of its subject, the two are one.
    ///
    /// - Returns: False if the event is dropped, because too many wait. At most one in eight may be unverified.
    mutating func add(_ event: QueuedEvent) -> Bool {
        let entry = event.entry
        if let position = latest[entry.subject], Self.isRepetition(entry, of: waiting[position - taken].entry) {
            waiting[position - taken].entry.lastTime = max(waiting[position - taken].entry.lastTime, entry.lastTime)
            waiting[position - taken].entry.count += entry.count
            waiting[position - taken].reader = waiting[position - taken].reader ?? event.reader
            return true
        }
        guard waiting.count < capacity, entry.category != .unverified || unverified < max(1, capacity / 8) else {
            return false
        }
        if entry.category == .unverified { unverified += 1 }
        latest[entry.subject] = taken + waiting.count
        waiting.append(event)
        return true
    }

    private static func isRepetition(_ entry: TimelineEntry, of former: TimelineEntry) -> Bool {
        entry.category.joinsRepetitions && entry.category == former.category && entry.event == former.event
            && abs(entry.time.timeIntervalSince(former.lastTime)) <= window
    }

    /// Returns the events to write now: the same ones with the same numbers, until ``didWrite()`` or ``isolate()``.
    mutating func next() -> [QueuedEvent] {
        if batch.isEmpty {
            batch = Array(waiting.prefix(batchSize))
            for (index, event) in batch.enumerated() {
                if latest[event.entry.subject] == taken + index { latest[event.entry.subject] = nil }
                if event.entry.category == .unverified { unverified -= 1 }
            }
            waiting.removeFirst(batch.count)
            taken += batch.count
            size = batchSize
        }
        return Array(batch.prefix(size))
    }

    mutating func didWrite() { removeFirst(min(size, batch.count)) }

    /// Halves the events to write next, because the store accepts other writes but not these. A single one is discarded.
    ///
    /// - Returns: The discarded event.
    mutating func isolate() -> QueuedEvent? {
        let failed = min(size, batch.count)
        guard failed <= 1 else {
            size = failed / 2
            return nil
        }
        let event = batch.first
        removeFirst(failed)
        return event
    }

    private mutating func removeFirst(_ count: Int) {
        batch.removeFirst(count)
        number += Int64(count)
        size = batchSize
    }

    /// Removes all events, and returns the number of their repetitions.
    mutating func discardAll() -> Int {
        let lost = (batch + waiting).reduce(0) { $0 + $1.entry.count }
        number += Int64(batch.count)
        taken += waiting.count
        (batch, waiting, latest, unverified) = ([], [], [:], 0)
        return lost
    }
}
