/// Which questions are under way, and who waits for the answer of which.
struct Flights<Key: Hashable & Sendable>: Sendable {
    typealias Flight = UInt64
    typealias Asker = UInt64

    enum Boarding: Equatable {
        /// Nobody asks this at present: the asker's own question is the flight.
        case begins(Flight, Asker)
        case joins(Flight, Asker)
    }

    private struct Entry {
        let key: Key
        var askers: Set<Asker>
    }

    private var current: [Key: Flight] = [:]
    private var entries: [Flight: Entry] = [:]
    private var next: UInt64 = 0

    var count: Int { entries.count }

    mutating func board(_ key: Key) -> Boarding {
        next += 1
        let asker = next
        if let flight = current[key] {
            entries[flight]?.askers.insert(asker)
            return .joins(flight, asker)
        }
        next += 1
        current[key] = next
        entries[next] = Entry(key: key, askers: [asker])
        return .begins(next, asker)
    }

    /// An asker goes away. Returns true when nobody waits for the flight any more: it is to be ended, and nobody boards it.
    mutating func leave(_ flight: Flight, _ asker: Asker) -> Bool {
        guard entries[flight]?.askers.remove(asker) != nil, entries[flight]?.askers.isEmpty == true else {
            return false
        }
        remove(flight)
        return true
    }

    /// The flight has its answer. Returns who waits for it.
    mutating func land(_ flight: Flight) -> Set<Asker> {
        remove(flight)?.askers ?? []
    }

    /// Nobody boards what is under way now: the next who asks begins anew. Those aboard have their answer all the same.
    mutating func closeDoors() {
        current = [:]
    }

    @discardableResult
    private mutating func remove(_ flight: Flight) -> Entry? {
        guard let entry = entries.removeValue(forKey: flight) else { return nil }
        if current[entry.key] == flight { current[entry.key] = nil }
        return entry
    }
}
