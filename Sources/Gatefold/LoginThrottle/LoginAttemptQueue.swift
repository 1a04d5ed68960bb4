/// A bounded queue of attempts that wait for running attempts, in the order of arrival.
struct LoginAttemptQueue: Sendable {
    struct WaitingAttempt: Sendable {
        let id: UInt64
        let attempt: LoginAttempt
        let deviceTrust: LoginAttemptLedger.DeviceTrust
    }

    private struct Line {
        var waitingAttempts: [WaitingAttempt] = []
        /// The number of attempts at the front that have already left.
        var left = 0

        var count: Int { waitingAttempts.count - left }
        var first: WaitingAttempt? { left < waitingAttempts.count ? waitingAttempts[left] : nil }

        mutating func removeFirst() {
            left += 1
            guard left > 32, left > waitingAttempts.count / 2 else { return }
            waitingAttempts.removeFirst(left)
            left = 0
        }

        mutating func remove(_ id: UInt64) {
            guard let index = waitingAttempts[left...].firstIndex(where: { $0.id == id }) else { return }
            waitingAttempts.remove(at: index)
        }
    }

    private let capacity: Int
    private let capacityPerCounter: Int
    private var counters: [UInt64: LoginAttemptCounter] = [:]
    private var lines: [LoginAttemptCounter: Line] = [:]

    /// - Parameters:
    ///   - capacity: The maximum number of waiting attempts.
    ///   - capacityPerCounter: The maximum number of attempts that wait for one counter.
    init(capacity: Int, capacityPerCounter: Int) {
        self.capacity = capacity
        self.capacityPerCounter = capacityPerCounter
    }

    var count: Int { counters.count }

    /// Appends an attempt to the queue of a counter. Returns false if the queue is full.
    mutating func append(_ waitingAttempt: WaitingAttempt, for counter: LoginAttemptCounter) -> Bool {
        guard counters.count < capacity, lines[counter]?.count ?? 0 < capacityPerCounter else { return false }
        counters[waitingAttempt.id] = counter
        lines[counter, default: Line()].waitingAttempts.append(waitingAttempt)
        return true
    }

    func first(for counter: LoginAttemptCounter) -> WaitingAttempt? { lines[counter]?.first }

    mutating func removeFirst(for counter: LoginAttemptCounter) {
        guard let first = lines[counter]?.first else { return }
        counters[first.id] = nil
        lines[counter]?.removeFirst()
        if lines[counter]?.count == 0 { lines[counter] = nil }
    }

    /// Removes an attempt that no longer waits. Returns false if it was not in the queue.
    mutating func remove(_ id: UInt64) -> Bool {
        guard let counter = counters.removeValue(forKey: id) else { return false }
        lines[counter]?.remove(id)
        if lines[counter]?.count == 0 { lines[counter] = nil }
        return true
    }
}
