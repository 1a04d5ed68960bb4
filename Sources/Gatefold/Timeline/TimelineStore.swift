package import Foundation

/// A store of the events of readers. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
package protocol TimelineStore: Sendable {
    /// Appends entries in one transaction, and deletes the oldest ones of some subjects.
    func append(_ batch: TimelineBatch) async throws

    /// Returns the entries of a subject, newest first.
    ///
    /// - Parameter position: The position before which the page begins; nil for the newest entries.
    func entries(
        of subject: TimelineSubject, before position: TimelinePosition?, limit: Int
    ) async throws -> [StoredTimelineEntry]

    /// Returns the reader to whom a pseudonym belongs, or nil if no event of the reader was recorded.
    func knownReader(_ pseudonym: SubscriberPseudonym) async throws -> SealedReader?

    /// Deletes all entries of readers, and the readers themselves.
    ///
    /// - Returns: The number of deleted entries.
    func eraseTimeline(of subjects: [TimelineSubject]) async throws -> Int

    /// Sets the time in seconds after which ``StateRetention/maintain()`` deletes entries. Default: 90 days.
    func retainTimeline(for seconds: TimeInterval)
}

/// The entries that are written together.
package struct TimelineBatch: Sendable {
    package var entries: [TimelineEntry]
    /// The readers to whom the pseudonyms of the entries belong, in the order of their pseudonyms.
    package var readers: [KnownReader]
    /// The subjects of which only the newest entries remain, in the order of their bytes.
    package var trimmed: [TimelineSubject]
    /// The number of entries that remain of a trimmed subject.
    package var entriesPerSubject: Int

    package init(
        _ entries: [TimelineEntry], readers: [KnownReader] = [], trimming trimmed: [TimelineSubject] = [],
        to entriesPerSubject: Int = .max
    ) {
        self.entries = entries
        self.readers = readers
        self.trimmed = trimmed
        self.entriesPerSubject = entriesPerSubject
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
