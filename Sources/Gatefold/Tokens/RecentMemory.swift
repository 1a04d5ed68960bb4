import Synchronization

/// Remembers what was worked out lately, so that it is not worked out again for every request of the same reader.
///
/// Bounded: the older half is forgotten when it is full.
package final class RecentMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var recent: [Key: Value] = [:]
        var older: [Key: Value] = [:]
    }

    private let capacity: Int
    private let contents = Mutex(Contents())

    /// - Parameter capacity: the most values that are remembered.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// - Parameter make: works it out; nil is never remembered.
    package func value(_ key: Key, _ make: () -> Value?) -> Value? {
        if let known = known(key) { return known }
        guard let made = make() else { return nil }
        remember(key, made)
        return made
    }

    /// The same of what can always be worked out.
    package func value(_ key: Key, making make: () -> Value) -> Value {
        if let known = known(key) { return known }
        let made = make()
        remember(key, made)
        return made
    }

    private func known(_ key: Key) -> Value? {
        contents.withLock { $0.recent[key] ?? $0.older[key] }
    }

    private func remember(_ key: Key, _ made: Value) {
        let forgotten = contents.withLock { contents in
            var forgotten: [Key: Value] = [:]
            if contents.recent.count >= capacity / 2 {
                (forgotten, contents.older) = (contents.older, contents.recent)
                contents.recent = [:]
            }
            contents.recent[key] = made
            return forgotten
        }
        // Freed only here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
    }
}
