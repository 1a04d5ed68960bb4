import Foundation
import Gatefold
import Synchronization

/// A store of events in memory that can be unavailable, that can lose a response, and that does not accept some events.
final class FakeTimelineStore: TimelineStore {
    struct Unavailable: Error {}
    struct Unacceptable: Error {}

    private struct Contents {
        var batches: [TimelineBatch] = []
        var trims: [(sections: Set<TimelineSection>, limit: Int)] = []
        var erased: [TimelineSubject] = []
        var isAvailable = true
        var losesResponse = false
        var unacceptable: Set<String> = []
    }

    private let contents = Mutex(Contents())

    /// The batches that were received, as often as they were.
    var batches: [TimelineBatch] { contents.withLock { $0.batches } }
    var entries: [TimelineEntry] { batches.flatMap(\.entries) }
    var readers: [KnownReader] { batches.flatMap(\.readers) }
    var trims: [(sections: Set<TimelineSection>, limit: Int)] { contents.withLock { $0.trims } }
    var erased: [TimelineSubject] { contents.withLock { $0.erased } }
    var isAvailable: Bool {
        get { contents.withLock { $0.isAvailable } }
        set { contents.withLock { $0.isAvailable = newValue } }
    }

    /// Stores the next batch and then fails, as if the connection were lost after the commit.
    func loseResponse() { contents.withLock { $0.losesResponse = true } }

    /// Fails from now on for batches with an event that has this detail.
    func reject(_ detail: String) { contents.withLock { _ = $0.unacceptable.insert(detail) } }

    func append(_ batch: TimelineBatch) async throws {
        try contents.withLock { contents in
            guard contents.isAvailable else { throw Unavailable() }
            if batch.entries.isEmpty { return }
            if batch.entries.contains(where: { contents.unacceptable.contains($0.event.detail ?? "") }) {
                throw Unacceptable()
            }
            contents.batches.append(batch)
            guard contents.losesResponse else { return }
            (contents.losesResponse, contents.isAvailable) = (false, false)
            throw Unavailable()
        }
    }

    func trimTimeline(_ sections: Set<TimelineSection>, to limit: Int) async throws {
        try contents.withLock { contents in
            guard contents.isAvailable else { throw Unavailable() }
            contents.trims.append((sections, limit))
        }
    }

    func entries(of subject: TimelineSubject, before position: TimelinePosition?, limit: Int) -> [StoredTimelineEntry] {
        []
    }
    func knownReader(_ pseudonym: SubscriberPseudonym) -> SealedReader? { nil }

    func eraseTimeline(of subjects: [TimelineSubject]) -> Int {
        contents.withLock { contents in
            contents.erased += subjects
            return subjects.count
        }
    }

    func retainTimeline(_ retention: TimelineRetention) {}
}
