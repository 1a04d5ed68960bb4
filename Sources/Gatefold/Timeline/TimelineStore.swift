package import Foundation

/// A store of the events of readers. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
package protocol TimelineStore: Sendable {
    /// Appends the entries in one transaction, except those that were written before and those of erased readers.
    ///
    /// A reader who was erased remains so, for this and every other process, until the reader signs in or buys again, or until
    /// no token of the reader is left.
    func append(_ batch: TimelineBatch) async throws

    /// Deletes the oldest entries of some sections.
    ///
    /// - Parameter limit: The number of entries that remain in each.
    func trimTimeline(_ sections: Set<TimelineSection>, to limit: Int) async throws

    /// Returns the entries of a subject, newest first.
    ///
    /// - Parameter position: The position before which the page begins; nil for the newest entries.
    func entries(
        of subject: TimelineSubject, before position: TimelinePosition?, limit: Int
    ) async throws -> [StoredTimelineEntry]

    /// Returns the reader to whom a pseudonym belongs, or nil if no event of the reader was recorded.
    func knownReader(_ pseudonym: SubscriberPseudonym) async throws -> SealedReader?

    /// Erases readers: deletes all their entries and the readers themselves, and rejects entries of earlier events.
    ///
    /// - Returns: The number of deleted entries.
    func eraseTimeline(of subjects: [TimelineSubject]) async throws -> Int

    /// Sets the rule by which ``StateRetention/maintain()`` deletes entries.
    func retainTimeline(_ retention: TimelineRetention)
}

/// The entries that are written together.
package struct TimelineBatch: Sendable {
    /// The process that writes, by random bytes.
    package let writer: [UInt8]
    /// The number of the first entry among all of the writer. The others follow.
    package let number: Int64
    package let entries: [TimelineEntry]
    /// The readers to whom the pseudonyms of the entries belong.
    package let readers: [KnownReader]

    package init(_ entries: [TimelineEntry], readers: [KnownReader] = [], from writer: [UInt8], number: Int64) {
        self.entries = entries
        self.readers = readers
        self.writer = writer
        self.number = number
    }
}

/// The entries of a subject in one category.
package struct TimelineSection: Sendable, Hashable {
    package let subject: TimelineSubject
    package let category: TimelineCategory

    package init(_ subject: TimelineSubject, _ category: TimelineCategory) {
        self.subject = subject
        self.category = category
    }
}

/// A reader with the pseudonym of the log.
package struct KnownReader: Sendable, Hashable {
    package let pseudonym: SubscriberPseudonym
    package let sealed: SealedReader

    package init(pseudonym: SubscriberPseudonym, sealed: SealedReader) {
        self.pseudonym = pseudonym
        self.sealed = sealed
    }
}

/// The rule by which entries are deleted.
package struct TimelineRetention: Sendable, Equatable {
    /// The time in seconds after which an entry is deleted. Default: 90 days.
    package var time: TimeInterval
    /// The time in seconds after which an unverified entry is deleted, if it is shorter. Default: 7 days.
    package var unverifiedTime: TimeInterval
    /// The maximum number of unverified entries of all subjects. Default: 200,000.
    package var maxUnverified: Int

    package init(
        time: TimeInterval = 90 * 86_400, unverifiedTime: TimeInterval = 7 * 86_400, maxUnverified: Int = 200_000
    ) {
        self.time = time
        self.unverifiedTime = unverifiedTime
        self.maxUnverified = maxUnverified
    }
}
