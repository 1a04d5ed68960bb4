import Synchronization

/// A cache of recently computed values, so that requests of the same reader do not compute them again.
///
/// The cache is bounded: when it is full, it discards the older half. It is in this module, whose decisions use it most,
/// because the compiler specialises generic types only within a module. A lookup by another module takes several times as long.
package final class GenerationalCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var recent: [Key: Value] = [:]
        var older: [Key: Value] = [:]
    }

    private let capacity: Int
    private let contents = Mutex(Contents())

    /// Creates a cache.
    ///
    /// - Parameter capacity: The maximum number of cached values.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the cached value or computes it.
    ///
    /// - Parameter make: Computes the value. Nil is never cached.
    func value(_ key: Key, _ make: () -> Value?) -> Value? {
        if let known = known(key) { return known }
        guard let made = make() else { return nil }
        store(key, made)
        return made
    }

    /// Returns the cached value or computes it, for values that always exist.
    func value(_ key: Key, making make: () -> Value) -> Value {
        if let known = known(key) { return known }
        let made = make()
        store(key, made)
        return made
    }

    /// Returns the cached value, or nil if there is none.
    package func known(_ key: Key) -> Value? {
        contents.withLock { $0.recent[key] ?? $0.older[key] }
    }

    /// Caches a value, in place of a former one of the same key.
    package func store(_ key: Key, _ made: Value) {
        let evicted = contents.withLock { contents in
            var evicted: [Key: Value] = [:]
            if contents.recent.count >= capacity / 2 {
                (evicted, contents.older) = (contents.older, contents.recent)
                contents.recent = [:]
            }
            contents.recent[key] = made
            return evicted
        }
        // Frees the discarded entries outside the lock, so that no thread waits for it.
        withExtendedLifetime(evicted) {}
    }
}
