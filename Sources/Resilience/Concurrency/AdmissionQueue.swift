/// A queue for a limited number of slots. Its length is limited, and the order is first come, first served.
struct AdmissionQueue: Sendable {
    typealias Place = UInt64

    enum Entry: Equatable {
        case admitted
        case waits(Place)
        case full
    }

    /// The number of slots. If it becomes less than the slots in use, these are released first.
    var maxConcurrent: Int
    let capacity: Int
    private(set) var inUse = 0
    private var waiting: Set<Place> = []
    /// The places in the order in which they were taken, including cancelled places.
    private var order: [Place] = []
    private var head = 0
    private var next: Place = 0

    init(maxConcurrent: Int, capacity: Int) {
        self.maxConcurrent = maxConcurrent
        self.capacity = capacity
    }

    var waitingCount: Int { waiting.count }

    /// Takes a slot or a place in the queue.
    ///
    /// - Parameter mayWait: `false` for a caller that must not wait. The result is then `admitted` or `full`.
    mutating func enter(mayWait: Bool) -> Entry {
        // No caller overtakes the waiting ones.
        if inUse < maxConcurrent, waiting.isEmpty {
            inUse += 1
            return .admitted
        }
        guard mayWait, waiting.count < capacity else { return .full }
        next += 1
        waiting.insert(next)
        order.append(next)
        return .waits(next)
    }

    /// Releases a slot and returns the place that receives it next.
    mutating func leave() -> Place? {
        inUse -= 1
        return takeFree()
    }

    /// Returns the place that receives a free slot, if there are both.
    mutating func takeFree() -> Place? {
        guard inUse < maxConcurrent else { return nil }
        while head < order.count {
            let place = order[head]
            head += 1
            guard waiting.remove(place) != nil else { continue }
            compact()
            inUse += 1
            return place
        }
        compact()
        return nil
    }

    /// Cancels a place. The result is `false` if the place already has a slot or never existed.
    mutating func cancel(_ place: Place) -> Bool {
        guard waiting.remove(place) != nil else { return false }
        compact()
        return true
    }

    /// Removes processed and cancelled places once they are the larger part of the list.
    private mutating func compact() {
        guard order.count > 2 * waiting.count + 32 else { return }
        order = order[head...].filter { waiting.contains($0) }
        head = 0
    }
}
