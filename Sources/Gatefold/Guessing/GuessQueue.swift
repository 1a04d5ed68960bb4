/// Attempts that wait until others under way are decided, in the order in which they came, within bounds.
struct GuessQueue: Sendable {
    struct Waiter: Sendable {
        let id: UInt64
        let attempt: GuessAttempt
        let bearer: GuessLedger.Bearer
    }

    private struct Line {
        var waiters: [Waiter] = []
        /// How many in front have left already.
        var left = 0

        var count: Int { waiters.count - left }
        var first: Waiter? { left < waiters.count ? waiters[left] : nil }

        mutating func removeFirst() {
            left += 1
            guard left > 32, left > waiters.count / 2 else { return }
            waiters.removeFirst(left)
            left = 0
        }

        mutating func remove(_ id: UInt64) {
            guard let index = waiters[left...].firstIndex(where: { $0.id == id }) else { return }
            waiters.remove(at: index)
        }
    }

    private let capacity: Int
    private let capacityPerCounter: Int
    private var counters: [UInt64: GuessCounter] = [:]
    private var lines: [GuessCounter: Line] = [:]

    /// - Parameters:
    ///   - capacity: the most that wait.
    ///   - capacityPerCounter: the most that wait for one counter.
    init(capacity: Int, capacityPerCounter: Int) {
        self.capacity = capacity
        self.capacityPerCounter = capacityPerCounter
    }

    var count: Int { counters.count }

    /// Puts one at the end of a counter's line. Returns false where there is no place.
    mutating func append(_ waiter: Waiter, for counter: GuessCounter) -> Bool {
        guard counters.count < capacity, lines[counter]?.count ?? 0 < capacityPerCounter else { return false }
        counters[waiter.id] = counter
        lines[counter, default: Line()].waiters.append(waiter)
        return true
    }

    func first(for counter: GuessCounter) -> Waiter? { lines[counter]?.first }

    mutating func removeFirst(for counter: GuessCounter) {
        guard let first = lines[counter]?.first else { return }
        counters[first.id] = nil
        lines[counter]?.removeFirst()
        if lines[counter]?.count == 0 { lines[counter] = nil }
    }

    /// Takes one out that waits no longer. Returns false when it was not waiting.
    mutating func remove(_ id: UInt64) -> Bool {
        guard let counter = counters.removeValue(forKey: id) else { return false }
        lines[counter]?.remove(id)
        if lines[counter]?.count == 0 { lines[counter] = nil }
        return true
    }
}
