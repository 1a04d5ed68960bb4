import Foundation

/// A bounded heap of keys by expiry, the earliest first.
struct ExpiryHeap<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let key: Key
        var timestamp: TimeInterval
        /// The position in the heap.
        var place: Int
    }

    private let capacity: Int
    private var entries: [Entry] = []
    private var indices: [Key: Int] = [:]
    /// The indices of the entries. No expiry is before that of the parent at `(i - 1) / 2`.
    private var heap: [Int] = []

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    func timestamp(of key: Key) -> TimeInterval? {
        indices[key].map { entries[$0].timestamp }
    }

    /// Sets the expiry of a key. Removes up to two expired keys, and the key that expires first if the heap is
    /// full.
    mutating func set(_ key: Key, until timestamp: TimeInterval, at now: TimeInterval) {
        if let index = indices[key] {
            entries[index].timestamp = timestamp
            settle(entries[index].place)
            return
        }
        for _ in 0..<2 {
            guard let soonest = heap.first, entries[soonest].timestamp <= now else { break }
            remove(at: soonest)
        }
        if entries.count >= capacity, let soonest = heap.first { remove(at: soonest) }
        indices[key] = entries.count
        heap.append(entries.count)
        entries.append(Entry(key: key, timestamp: timestamp, place: heap.count - 1))
        settle(heap.count - 1)
    }

    mutating func remove(_ key: Key) {
        if let index = indices[key] { remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        let place = entries[index].place
        indices[entries[index].key] = nil
        // The last element fills the position of the removed one.
        let lastPlace = heap.count - 1
        if place != lastPlace { swap(place, lastPlace) }
        heap.removeLast()
        let last = entries.count - 1
        if index != last {
            entries[index] = entries[last]
            indices[entries[index].key] = index
            heap[entries[index].place] = index
        }
        entries.removeLast()
        if place < heap.count { settle(place) }
    }

    /// Moves an element up or down to its correct position.
    private mutating func settle(_ start: Int) {
        var place = start
        while place > 0, timestamp(at: place) < timestamp(at: (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            let left = 2 * place + 1
            var soonest = place
            if left < heap.count, timestamp(at: left) < timestamp(at: soonest) { soonest = left }
            if left + 1 < heap.count, timestamp(at: left + 1) < timestamp(at: soonest) { soonest = left + 1 }
            guard soonest != place else { return }
            swap(place, soonest)
            place = soonest
        }
    }

    private func timestamp(at place: Int) -> TimeInterval { entries[heap[place]].timestamp }

    private mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        entries[heap[one]].place = one
        entries[heap[other]].place = other
    }
}
