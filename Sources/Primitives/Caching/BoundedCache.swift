/// A cache of a fixed number of values that evicts the oldest.
package struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var values: [Key: Value] = [:]
    /// The keys in order of arrival. Some of their values may have been removed.
    private var ring: [Key] = []
    private var oldest = 0

    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    package var count: Int { values.count }

    package subscript(key: Key) -> Value? { values[key] }

    /// Stores a value. A value that replaces another keeps the age of the first.
    package mutating func insert(_ value: Value, for key: Key) {
        if values.updateValue(value, forKey: key) != nil { return }
        if ring.count < capacity {
            ring.append(key)
        } else {
            values[ring[oldest]] = nil
            ring[oldest] = key
            oldest = (oldest + 1) % capacity
        }
    }
}
