/// The state machine of single flight: the queries in progress and the callers that wait for each.
package struct SingleFlight<Key: Hashable & Sendable>: Sendable {
    package typealias Flight = UInt64
    package typealias Participant = UInt64

    package enum JoinResult: Equatable {
        /// The first caller for this key: its query becomes the flight.
        case begins(Flight, Participant)
        case joins(Flight, Participant)
    }

    private struct Entry {
        let key: Key
        var participants: Set<Participant>
    }

    private var current: [Key: Flight] = [:]
    private var entries: [Flight: Entry] = [:]
    private var next: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }

    package mutating func join(_ key: Key) -> JoinResult {
        next += 1
        let participant = next
        if let flight = current[key] {
            entries[flight]?.participants.insert(participant)
            return .joins(flight, participant)
        }
        next += 1
        current[key] = next
        entries[next] = Entry(key: key, participants: [participant])
        return .begins(next, participant)
    }

    /// Removes a caller from a flight.
    ///
    /// - Returns: `true` if no caller waits for the flight any more. The flight must then be cancelled, and later
    ///   callers do not join it.
    package mutating func leave(_ flight: Flight, _ participant: Participant) -> Bool {
        guard entries[flight]?.participants.remove(participant) != nil, entries[flight]?.participants.isEmpty == true
        else {
            return false
        }
        remove(flight)
        return true
    }

    /// Completes a flight and returns the callers that wait for it.
    package mutating func complete(_ flight: Flight) -> Set<Participant> {
        remove(flight)?.participants ?? []
    }

    /// Prevents later callers from joining the current flights; they start new ones. Callers that already joined
    /// still receive their results.
    package mutating func forgetInFlight() {
        current = [:]
    }

    @discardableResult
    private mutating func remove(_ flight: Flight) -> Entry? {
        guard let entry = entries.removeValue(forKey: flight) else { return nil }
        if current[entry.key] == flight { current[entry.key] = nil }
        return entry
    }
}
