import Synchronization

/// Remembers what was worked out lately, so that it is not worked out again for every request of the same reader.
///
/// Bounded: the older half is forgotten when it is full.
final class RecentMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var recent: [Key: Value] = [:]
        var older: [Key: Value] = [:]
    }

    private let capacity: Int
    private let contents = Mutex(Contents())

    /// - Parameter capacity: the most values that are remembered.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// - Parameter make: works it out; nil is never remembered.
    func value(_ key: Key, _ make: () -> Value?) -> Value? {
        let known = contents.withLock { $0.recent[key] ?? $0.older[key] }
        if let known { return known }
        guard let made = make() else { return nil }
        contents.withLock { contents in
            if contents.recent.count >= capacity / 2 {
                contents.older = contents.recent
                contents.recent = [:]
            }
            contents.recent[key] = made
        }
        return made
    }
}
