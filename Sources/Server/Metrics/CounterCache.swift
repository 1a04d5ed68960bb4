import Metrics
import Synchronization

/// A cache of counters by key. Looking up a counter by its labels costs more than the response that is counted.
final class CounterCache<Key: Hashable & Sendable>: Sendable {
    private let make: @Sendable (Key) -> Counter
    private let known = Mutex<[Key: Counter]>([:])

    /// - Parameter make: Makes the counter of a key. The number of keys is small.
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
