import Synchronization

/// The publication set in force. Replacement does not disturb running requests, because each request reads the set
/// once and retains it.
final class ReloadableSnapshot: Sendable {
    /// A reference to a publication set, which can be passed on without a copy.
    final class Snapshot: Sendable {
        let set: ServingState

        fileprivate init(_ set: ServingState) {
            self.set = set
        }
    }

    private let inForce: Mutex<Snapshot>

    init(_ first: ServingState) {
        inForce = Mutex(Snapshot(first))
    }

    var value: ServingState { snapshot.set }

    var snapshot: Snapshot { inForce.withLock { $0 } }

    func replace(with next: ServingState) {
        let replaced = inForce.withLock { inForce in
            let replaced = inForce
            inForce = Snapshot(next)
            return replaced
        }
        // The replaced set is freed here, outside the lock, where no request waits for it.
        withExtendedLifetime(replaced) {}
    }
}
