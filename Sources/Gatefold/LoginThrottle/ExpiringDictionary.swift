import Foundation

/// A bounded table of keys, each with an expiry.
///
/// If the table is full, the key that expires first makes room. An entry with a high count outlives any number of
/// entries with low counts, so no client can reset a counter by filling the table. The work per change is bounded:
/// a hash that no client can predict distributes the entries over parts, and each part is a heap of a few thousand
/// entries at most. A change takes a dozen steps, and no growing array is larger than a part.
///
/// The table is in the module that uses it, because the compiler specialises generic types only within a module.
struct ExpiringDictionary<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of entries of one part.
    static var partCapacity: Int { 4096 }

    /// A key with its hash, which is computed once per call.
    private struct HashedKey: Hashable, Sendable {
        let key: Key
        let value: Int

        init(_ key: Key) {
            self.key = key
            value = key.hashValue
        }

        static func == (one: HashedKey, other: HashedKey) -> Bool { one.value == other.value && one.key == other.key }

        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    private var parts: [ExpiryHeap<HashedKey>]

    init(capacity: Int) {
        let capacity = max(10, capacity)
        let count = (capacity + Self.partCapacity - 1) / Self.partCapacity
        parts = (0..<count).map { ExpiryHeap(capacity: capacity / count + ($0 < capacity % count ? 1 : 0)) }
    }

    var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// Returns the expiry of a key, or nil if the key has expired or was never set.
    func timestamp(of key: Key, at now: TimeInterval) -> TimeInterval? {
        let key = HashedKey(key)
        return parts[part(of: key)].timestamp(of: key).flatMap { now < $0 ? $0 : nil }
    }

    mutating func set(_ key: Key, until timestamp: TimeInterval, at now: TimeInterval) {
        let key = HashedKey(key)
        let part = part(of: key)
        guard now < timestamp else {
            parts[part].remove(key)
            return
        }
        parts[part].set(key, until: timestamp, at: now)
    }

    mutating func remove(_ key: Key) {
        let key = HashedKey(key)
        parts[part(of: key)].remove(key)
    }

    private func part(of key: HashedKey) -> Int {
        guard parts.count > 1 else { return 0 }
        return Int(UInt(bitPattern: key.value) >> 16) % parts.count
    }
}
