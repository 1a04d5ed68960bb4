/// The scheduling of queries on the threads of a pool.
///
/// A cancelled query leaves the queue. If it is running and its library does not return, its thread counts as lost
/// after a time limit, and a spare thread replaces it until it returns. Otherwise a driver that waits 15 minutes on
/// a dead network would block the pool. The number of spare threads is small, so the replacement is bounded.
struct ThreadPoolStateMachine: Sendable {
    typealias EntryID = Int

    private struct Place {
        let entryID: EntryID
        let start: @Sendable () -> Void
    }

    private let size: Int
    private let replacementThreads: Int
    private let stallTimeout: Duration
    private var last = 0
    private var waiting: [Place] = []
    /// The running queries, each with the time of its cancellation; nil if its caller still waits.
    private var running: [EntryID: ContinuousClock.Instant?] = [:]

    /// - Parameters:
    ///   - size: The maximum number of running queries, without replacements of lost ones.
    ///   - replacementThreads: The maximum number of replacements of lost threads.
    ///   - stallTimeout: The time after the cancellation until the thread counts as lost.
    init(size: Int, replacementThreads: Int, stallTimeout: Duration) {
        self.size = size
        self.replacementThreads = replacementThreads
        self.stallTimeout = stallTimeout
    }

    var waitingCount: Int { waiting.count }

    mutating func entryID() -> EntryID {
        last += 1
        return last
    }

    mutating func join(_ entryID: EntryID, start: @escaping @Sendable () -> Void) {
        waiting.append(Place(entryID: entryID, start: start))
    }

    /// Returns the start function of the next query, if a thread is available for it.
    mutating func next(at now: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        guard !waiting.isEmpty, running.count - lost(at: now) < size else { return nil }
        let place = waiting.removeFirst()
        running.updateValue(nil, forKey: place.entryID)
        return place.start
    }

    /// Removes a cancelled query from the queue.
    ///
    /// - Returns: Whether the query is running, so that its thread is waited for from now on.
    mutating func abandon(_ entryID: EntryID, at now: ContinuousClock.Instant) -> Bool {
        waiting.removeAll { $0.entryID == entryID }
        guard let abandoned = running[entryID], abandoned == nil else { return false }
        running.updateValue(now, forKey: entryID)
        return true
    }

    mutating func leave(_ entryID: EntryID) {
        running.removeValue(forKey: entryID)
    }

    private func lost(at now: ContinuousClock.Instant) -> Int {
        guard running.count >= size else { return 0 }
        return min(replacementThreads, running.values.count { $0.map { now - $0 >= stallTimeout } ?? false })
    }
}
