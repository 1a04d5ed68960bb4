import Foundation

/// Remembers keys, each until a moment, within a bound.
///
/// When full it forgets what has faded, and the tenth that would fade soonest: an entry with much behind it outlives any
/// number of light ones, so that nobody resets a counter by filling the table.
struct FadingTable<Key: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var moments: [Key: TimeInterval] = [:]

    init(capacity: Int) {
        self.capacity = max(10, capacity)
    }

    var count: Int { moments.count }

    /// When the key fades; nil when it has or was never there.
    func moment(of key: Key, at now: TimeInterval) -> TimeInterval? {
        moments[key].flatMap { now < $0 ? $0 : nil }
    }

    mutating func set(_ key: Key, until moment: TimeInterval, at now: TimeInterval) {
        guard now < moment else {
            moments[key] = nil
            return
        }
        if moments.count >= capacity, moments[key] == nil { makeRoom(at: now) }
        moments[key] = moment
    }

    mutating func remove(_ key: Key) {
        moments[key] = nil
    }

    private mutating func makeRoom(at now: TimeInterval) {
        moments = moments.filter { now < $0.value }
        let surplus = moments.count - (capacity - capacity / 10)
        guard surplus > 0 else { return }
        let soonest = moments.sorted { $0.value < $1.value }.prefix(surplus)
        for (key, _) in soonest { moments[key] = nil }
    }
}
