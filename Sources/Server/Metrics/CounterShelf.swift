import Metrics
import Synchronization

/// Counters by what tells them apart, each made once: to look one up by its labels costs more than the answer that is counted.
final class CounterShelf<Key: Hashable & Sendable>: Sendable {
    private let make: @Sendable (Key) -> Counter
    private let known = Mutex<[Key: Counter]>([:])

    /// - Parameter make: makes the counter of a key; there are few of them.
    init(_ make: @escaping @Sendable (Key) -> Counter) {
        self.make = make
    }

    subscript(key: Key) -> Counter {
        known.withLock { known in
            if let counter = known[key] { return counter }
            let counter = make(key)
            known[key] = counter
            return counter
        }
    }
}
