import Foundation
import Synchronization

/// The publication set in force, replaced without a request noticing: each one takes it once and keeps it.
final class CurrentPublications: Sendable {
    private struct Content {
        var set: PublicationSet
        var longestRetention: TimeInterval
    }

    private let content: Mutex<Content>

    init(_ first: PublicationSet) {
        content = Mutex(Content(set: first, longestRetention: first.revocationRetention))
    }

    var value: PublicationSet { content.withLock(\.set) }

    /// The longest of all sets so far: what an earlier one issued goes on living by its own lifetimes.
    var longestRetention: TimeInterval { content.withLock(\.longestRetention) }

    func replace(with next: PublicationSet) {
        content.withLock {
            $0.set = next
            $0.longestRetention = max($0.longestRetention, next.revocationRetention)
        }
    }
}
