/// Whose turn it is for one of a pool's threads.
///
/// A question that was given up leaves the line. If it runs and its library does not let go, its thread counts as lost after
/// a while, and a spare one takes its place until it comes back: a driver that waits on a dead network for a quarter of
/// an hour must not take the pool with it. Spare ones are few, so that it can not go on for ever.
struct ThreadLine: Sendable {
    typealias Ticket = Int

    private struct Place {
        let ticket: Ticket
        let start: @Sendable () -> Void
    }

    private let size: Int
    private let spare: Int
    private let patience: Duration
    private var last = 0
    private var waiting: [Place] = []
    /// When each was given up, nil for those that somebody waits for.
    private var running: [Ticket: ContinuousClock.Instant?] = [:]

    /// - Parameters:
    ///   - size: the most that run at once, but for those in place of lost ones.
    ///   - spare: the most in place of lost ones.
    ///   - patience: from giving up until the thread counts as lost.
    init(size: Int, spare: Int, patience: Duration) {
        self.size = size
        self.spare = spare
        self.patience = patience
    }

    var waitingCount: Int { waiting.count }

    mutating func ticket() -> Ticket {
        last += 1
        return last
    }

    mutating func join(_ ticket: Ticket, start: @escaping @Sendable () -> Void) {
        waiting.append(Place(ticket: ticket, start: start))
    }

    /// The start of whose turn it is, if there is a thread for it.
    mutating func next(at now: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        guard !waiting.isEmpty, running.count - lost(at: now) < size else { return nil }
        let place = waiting.removeFirst()
        running.updateValue(nil, forKey: place.ticket)
        return place.start
    }

    /// - Returns: whether its thread is waited for from now on.
    mutating func giveUp(_ ticket: Ticket, at now: ContinuousClock.Instant) -> Bool {
        waiting.removeAll { $0.ticket == ticket }
        guard let givenUp = running[ticket], givenUp == nil else { return false }
        running.updateValue(now, forKey: ticket)
        return true
    }

    mutating func leave(_ ticket: Ticket) {
        running.removeValue(forKey: ticket)
    }

    private func lost(at now: ContinuousClock.Instant) -> Int {
        guard running.count >= size else { return 0 }
        return min(spare, running.values.count { $0.map { now - $0 >= patience } ?? false })
    }
}
