import Foundation

/// Keys with the moments at which they fade, the soonest first, within a bound.
struct FadingHeap<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let key: Key
        var moment: TimeInterval
        /// Where it is in the heap.
        var place: Int
    }

    private let capacity: Int
    private var entries: [Entry] = []
    private var indices: [Key: Int] = [:]
    /// The indices of the entries; no moment is before that of the place `(i - 1) / 2`.
    private var heap: [Int] = []

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    func moment(of key: Key) -> TimeInterval? {
        indices[key].map { entries[$0].moment }
    }

    /// Sets when a key fades. Takes away up to two that have faded, and the one that fades soonest where there is no room.
    mutating func set(_ key: Key, until moment: TimeInterval, at now: TimeInterval) {
        if let index = indices[key] {
            entries[index].moment = moment
            settle(entries[index].place)
            return
        }
        for _ in 0..<2 {
            guard let soonest = heap.first, entries[soonest].moment <= now else { break }
            remove(at: soonest)
        }
        if entries.count >= capacity, let soonest = heap.first { remove(at: soonest) }
        indices[key] = entries.count
        heap.append(entries.count)
        entries.append(Entry(key: key, moment: moment, place: heap.count - 1))
        settle(heap.count - 1)
    }

    mutating func remove(_ key: Key) {
        if let index = indices[key] { remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        let place = entries[index].place
        indices[entries[index].key] = nil
        // The last of each takes the place of what goes.
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

    /// Moves what is at a place up or down to where it belongs.
    private mutating func settle(_ start: Int) {
        var place = start
        while place > 0, moment(at: place) < moment(at: (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            let left = 2 * place + 1
            var soonest = place
            if left < heap.count, moment(at: left) < moment(at: soonest) { soonest = left }
            if left + 1 < heap.count, moment(at: left + 1) < moment(at: soonest) { soonest = left + 1 }
            guard soonest != place else { return }
            swap(place, soonest)
            place = soonest
        }
    }

    private func moment(at place: Int) -> TimeInterval { entries[heap[place]].moment }

    private mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        entries[heap[one]].place = one
        entries[heap[other]].place = other
    }
}
