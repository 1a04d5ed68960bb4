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

    private let inForce: Mutex<Snapshot>
    /// Noted with every replacement.
    let changes = ChangeCount()

    init(_ first: PublicationSet) {
        inForce = Mutex(Snapshot(first))
    }

    var value: PublicationSet { snapshot.set }

    var snapshot: Snapshot { inForce.withLock { $0 } }

    func replace(with next: PublicationSet) {
        let replaced = inForce.withLock { inForce in
            let replaced = inForce
            inForce = Snapshot(next)
            return replaced
        }
        changes.note()
        // Freed only here, where no request waits for it.
        withExtendedLifetime(replaced) {}
    }
}
