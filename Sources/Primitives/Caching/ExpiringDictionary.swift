package import Foundation

/// A bounded table of keys, each with an expiry.
///
/// If the table is full, the key that expires first makes room. An entry with a high count outlives any number of
/// entries with low counts, so no client can reset a counter by filling the table. The work per change is bounded:
/// a hash that no client can predict distributes the entries over parts, and each part is a heap of a few thousand
/// entries at most. A change takes a dozen steps, and no growing array is larger than a part.
package struct ExpiringDictionary<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of entries of one part.
    static var partCapacity: Int { 4096 }

    private var parts: [ExpiryHeap<Key>]

    package init(capacity: Int) {
        let capacity = max(10, capacity)
        let count = (capacity + Self.partCapacity - 1) / Self.partCapacity
        parts = (0..<count).map { ExpiryHeap(capacity: capacity / count + ($0 < capacity % count ? 1 : 0)) }
    }

    package var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// Returns the expiry of a key, or nil if the key has expired or was never set.
    package func timestamp(of key: Key, at now: TimeInterval) -> TimeInterval? {
        parts[part(of: key)].timestamp(of: key).flatMap { now < $0 ? $0 : nil }
    }

    package mutating func set(_ key: Key, until timestamp: TimeInterval, at now: TimeInterval) {
        let part = part(of: key)
        guard now < timestamp else {
            parts[part].remove(key)
            return
        }
        parts[part].set(key, until: timestamp, at: now)
    }

    package mutating func remove(_ key: Key) {
        parts[part(of: key)].remove(key)
    }

    private func part(of key: Key) -> Int {
        guard parts.count > 1 else { return 0 }
        // The low bits select the bucket within a part's dictionary.
        return Int(UInt(bitPattern: key.hashValue) >> 16) % parts.count
    }
}
