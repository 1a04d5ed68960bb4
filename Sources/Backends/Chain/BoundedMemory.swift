/// Remembers so many values, and forgets the oldest.
struct BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var values: [Key: Value] = [:]
    /// Keys in the order in which they came, some of them forgotten since.
    private var ring: [Key] = []
    private var oldest = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { values.count }

    subscript(key: Key) -> Value? { values[key] }

    /// Keeps a value; one that was there under the key keeps its age.
    mutating func keep(_ value: Value, for key: Key) {
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
