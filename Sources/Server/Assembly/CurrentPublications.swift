import Foundation
import Gatefold
import Synchronization

/// The publication set in force, replaced without a request noticing: each one takes it once and keeps it.
final class CurrentPublications: Sendable {
    /// A set to be handed round without being copied.
    final class Snapshot: Sendable {
        let set: PublicationSet

        fileprivate init(_ set: PublicationSet) {
            self.set = set
        }
    }

    private struct Content {
        var snapshot: Snapshot
        var longestRetention: TimeInterval
    }

    private let content: Mutex<Content>
    /// Noted with every replacement.
    let changes = ChangeCount()

    init(_ first: PublicationSet) {
        content = Mutex(Content(snapshot: Snapshot(first), longestRetention: first.revocationRetention))
    }

    var value: PublicationSet { snapshot.set }

    var snapshot: Snapshot { content.withLock(\.snapshot) }

    /// The longest of all sets so far: what an earlier one issued goes on living by its own lifetimes.
    var longestRetention: TimeInterval { content.withLock(\.longestRetention) }

    func replace(with next: PublicationSet) {
        let replaced = content.withLock { content in
            let replaced = content.snapshot
            content.snapshot = Snapshot(next)
            content.longestRetention = max(content.longestRetention, next.revocationRetention)
            return replaced
        }
        changes.note()
        // Freed only here, where no request waits for it.
        withExtendedLifetime(replaced) {}
    }
}
