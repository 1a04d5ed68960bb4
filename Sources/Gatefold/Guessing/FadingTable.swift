import Foundation

/// Remembers keys, each until a moment, within a bound.
///
/// When it is full the key that fades soonest makes room: an entry with much behind it outlives any number of light ones, so
/// that nobody resets a counter by filling the table. The work per change is bounded: the entries are spread over
/// parts by a hash that no client can predict, and each part is a heap of a few thousand at most. So a change takes a dozen
/// steps, and no table that grows is larger than a part.
struct FadingTable<Key: Hashable & Sendable>: Sendable {
    /// The most entries of one part.
    static var partCapacity: Int { 4096 }

    private var parts: [FadingHeap<Key>]

    init(capacity: Int) {
        let capacity = max(10, capacity)
        let count = (capacity + Self.partCapacity - 1) / Self.partCapacity
        parts = (0..<count).map { FadingHeap(capacity: capacity / count + ($0 < capacity % count ? 1 : 0)) }
    }

    var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// When the key fades; nil when it has or was never there.
    func moment(of key: Key, at now: TimeInterval) -> TimeInterval? {
        parts[part(of: key)].moment(of: key).flatMap { now < $0 ? $0 : nil }
    }

    mutating func set(_ key: Key, until moment: TimeInterval, at now: TimeInterval) {
        let part = part(of: key)
        guard now < moment else {
            parts[part].remove(key)
            return
        }
        parts[part].set(key, until: moment, at: now)
    }

    mutating func remove(_ key: Key) {
        parts[part(of: key)].remove(key)
    }

    private func part(of key: Key) -> Int {
        guard parts.count > 1 else { return 0 }
        // The low bits choose the place within a part's dictionary.
        return Int(UInt(bitPattern: key.hashValue) >> 16) % parts.count
    }
}
