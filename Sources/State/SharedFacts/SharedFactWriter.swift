public import Gatefold
import Synchronization

/// Writes down what this process learns, behind whoever learns it: what was taken in is on disk within a second.
///
/// Bounded: a fact takes the place of what waits of its ID, and where the store can not be reached for long no more than so many
/// wait.
public final class SharedFactWriter: Sendable {
    /// Between two writes.
    public static let pause = Duration.milliseconds(400)

    private struct Waiting {
        var facts: [SharedFact.ID: SharedFact] = [:]
        /// In which they came; of one that came again the first counts.
        var order: [SharedFact.ID] = []
        var dropped = 0
    }

    private let store: any SharedFactStore
    /// Names this process.
    public let origin: [UInt8]
    private let capacity: Int
    private let waiting = Mutex(Waiting())
    /// In one write, so that it holds up no other for long.
    private static let batch = 1_000

    /// - Parameters:
    ///   - origin: bytes that no other process has.
    ///   - capacity: so many facts wait at most; those that come then are known to this process alone.
    public init(store: any SharedFactStore, origin: [UInt8], capacity: Int = 50_000) {
        self.store = store
        self.origin = origin
        self.capacity = capacity
    }

    /// Takes a fact in; returns at once.
    public func add(_ fact: SharedFact) {
        waiting.withLock { waiting in
            if waiting.facts[fact.id] == nil {
                guard waiting.facts.count < capacity else {
                    waiting.dropped += 1
                    return
                }
                waiting.order.append(fact.id)
            }
            waiting.facts[fact.id] = fact
        }
    }

    /// Writes everything that waits.
    ///
    /// - Throws: when the store could not keep it; it then waits on.
    public func flush() async throws {
        while true {
            let facts = waiting.withLock { waiting in
                let ids = waiting.order.prefix(Self.batch)
                let facts = ids.compactMap { waiting.facts.removeValue(forKey: $0) }
                waiting.order.removeFirst(ids.count)
                return facts
            }
            if facts.isEmpty { return }
            do {
                try await store.record(facts, origin: origin)
            } catch {
                giveBack(facts)
                throw error
            }
        }
    }

    /// So many were dropped because too many waited, since this was asked last.
    public func takeDropped() -> Int {
        waiting.withLock { waiting in
            defer { waiting.dropped = 0 }
            return waiting.dropped
        }
    }

    private func giveBack(_ facts: [SharedFact]) {
        waiting.withLock { waiting in
            // What came since of the same ID is later.
            let missing = facts.filter { waiting.facts[$0.id] == nil }
            for fact in missing { waiting.facts[fact.id] = fact }
            waiting.order.insert(contentsOf: missing.map(\.id), at: 0)
        }
    }
}
