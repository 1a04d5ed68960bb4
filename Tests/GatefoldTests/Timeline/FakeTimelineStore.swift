import Foundation
import Gatefold
import Synchronization

/// A store of events in memory that can be unavailable, and that waits for the test before it writes.
final class FakeTimelineStore: TimelineStore {
    struct Unavailable: Error {}
    private let contents = Mutex<(batches: [TimelineBatch], isAvailable: Bool)>(([], true))
    private let willWrite: @Sendable () async -> Void

    init(willWrite: @escaping @Sendable () async -> Void = {}) { self.willWrite = willWrite }

    var batches: [TimelineBatch] { contents.withLock { $0.batches } }
    var entries: [TimelineEntry] { batches.flatMap(\.entries) }
    var isAvailable: Bool {
        get { contents.withLock { $0.isAvailable } }
        set { contents.withLock { $0.isAvailable = newValue } }
    }

    func append(_ batch: TimelineBatch) async throws {
        await willWrite()
        try contents.withLock { contents in
            guard contents.isAvailable else { throw Unavailable() }
            contents.batches.append(batch)
        }
    }

    func entries(of subject: TimelineSubject, before position: TimelinePosition?, limit: Int) -> [StoredTimelineEntry] {
        []
    }
    func knownReader(_ pseudonym: SubscriberPseudonym) -> SealedReader? { nil }

    func eraseTimeline(of subjects: [TimelineSubject]) -> Int {
        contents.withLock { contents in
            let before = contents.batches.reduce(0) { $0 + $1.entries.count }
            for index in contents.batches.indices {
                contents.batches[index].entries.removeAll { subjects.contains($0.subject) }
            }
            return before - contents.batches.reduce(0) { $0 + $1.entries.count }
        }
    }

    func retainTimeline(for seconds: TimeInterval) {}
}
