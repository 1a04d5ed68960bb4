/// Who may ask and who waits: so many slots, and a queue of limited length, first come, first served.
struct AdmissionQueue: Sendable {
    typealias Place = UInt64

    enum Entry: Equatable {
        case admitted
        case waits(Place)
        case full
    }

    let most: Int
    let capacity: Int
    private(set) var inUse = 0
    private var waiting: Set<Place> = []
    /// Places in the order they were taken, those that were given up since among them.
    private var order: [Place] = []
    private var head = 0
    private var next: Place = 0

    init(most: Int, capacity: Int) {
        self.most = most
        self.capacity = capacity
    }

    var waitingCount: Int { waiting.count }

    /// - Parameter mayWait: false for one that is content to be sent away: it is then admitted or `full`.
    mutating func enter(mayWait: Bool) -> Entry {
        // Nobody is let past those who wait.
        if inUse < most, waiting.isEmpty {
            inUse += 1
            return .admitted
        }
        guard mayWait, waiting.count < capacity else { return .full }
        next += 1
        waiting.insert(next)
        order.append(next)
        return .waits(next)
    }

    /// Takes back a slot, and returns who has it next.
    mutating func leave() -> Place? {
        while head < order.count {
            let place = order[head]
            head += 1
            guard waiting.remove(place) != nil else { continue }
            tidy()
            return place
        }
        tidy()
        inUse -= 1
        return nil
    }

    /// Gives up a place; false when it has a slot already or never was.
    mutating func giveUp(_ place: Place) -> Bool {
        guard waiting.remove(place) != nil else { return false }
        tidy()
        return true
    }

    /// Drops what is behind the head and what was given up, once that is most of the list.
    private mutating func tidy() {
        guard order.count > 2 * waiting.count + 32 else { return }
        order = order[head...].filter { waiting.contains($0) }
        head = 0
    }
}
