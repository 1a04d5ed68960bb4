package import Foundation

/// An event of one reader, with its time. Repetitions are one entry.
package struct TimelineEntry: Sendable, Hashable {
    package let subject: TimelineSubject
    package let category: TimelineCategory
    package let event: TimelineEvent
    /// The time of the first repetition.
    package var time: Date
    /// The time of the last repetition.
    package var lastTime: Date
    /// The number of repetitions. At least 1.
    package var count: Int

    /// - Parameter category: The category, or nil for that of the kind.
    package init(
        _ event: TimelineEvent, of subject: TimelineSubject, in category: TimelineCategory? = nil, at time: Date,
        until lastTime: Date? = nil, count: Int = 1
    ) {
        self.subject = subject
        self.category = category ?? event.kind.category
        self.event = event
        self.time = time
        self.lastTime = lastTime ?? time
        self.count = count
    }
}

/// A stored entry of the timeline.
package struct StoredTimelineEntry: Sendable, Hashable {
    package let position: TimelinePosition
    package let entry: TimelineEntry

    package init(position: TimelinePosition, entry: TimelineEntry) {
        self.position = position
        self.entry = entry
    }
}

/// The position of an entry among those of a reader: by its time, then by the number that the store assigned.
package struct TimelinePosition: Sendable, Hashable, Comparable {
    package let time: Date
    package let sequence: Int64

    package init(time: Date, sequence: Int64) {
        self.time = time
        self.sequence = sequence
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.time, one.sequence) < (other.time, other.sequence)
    }
}
