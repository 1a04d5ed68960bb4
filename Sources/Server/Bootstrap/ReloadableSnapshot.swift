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

    private struct State {
        var snapshot: Snapshot
        var observers: [@Sendable (ServingState) -> Void] = []
    }

    private let state: Mutex<State>

    init(_ first: ServingState) {
        state = Mutex(State(snapshot: Snapshot(first)))
    }

    var value: ServingState { snapshot.set }

    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Returns a value that is made of the set in force, and made again for each replacement.
    func derive<Value: Sendable>(_ make: @escaping @Sendable (ServingState) -> Value) -> DerivedSnapshot<Value> {
        state.withLock { state in
            let derived = DerivedSnapshot(of: state.snapshot.set, make)
            // Weak, because the value may refer to this snapshot, and a cycle would keep the state store open.
            state.observers.append { [weak derived] in derived?.follow($0) }
            return derived
        }
    }

    /// Replaces the set. One reload runs at a time, so the derived values follow in the same order.
    func replace(with next: ServingState) {
        let (replaced, observers) = state.withLock { state in
            let replaced = state.snapshot
            state.snapshot = Snapshot(next)
            return (replaced, state.observers)
        }
        for observer in observers { observer(next) }
        // The replaced set is freed here, outside the lock, where no request waits for it.
        withExtendedLifetime(replaced) {}
    }
}

/// A value that is made of the publication set in force.
final class DerivedSnapshot<Value: Sendable>: Sendable {
    private let make: @Sendable (ServingState) -> Value
    private let inForce: Mutex<Value>

    fileprivate init(of first: ServingState, _ make: @escaping @Sendable (ServingState) -> Value) {
        self.make = make
        inForce = Mutex(make(first))
    }

    var value: Value { inForce.withLock { $0 } }

    fileprivate func follow(_ set: ServingState) {
        let next = make(set)
        let replaced = inForce.withLock { inForce in
            let replaced = inForce
            inForce = next
            return replaced
        }
        // As in ``ReloadableSnapshot``, the replaced value is freed outside the lock.
        withExtendedLifetime(replaced) {}
    }
}
