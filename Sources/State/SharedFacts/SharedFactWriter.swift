public import Gatefold
import Synchronization

/// A write-behind queue that stores the facts of this process: an added fact is on disk within a second.
///
/// The queue is bounded. A fact replaces a waiting fact of the same ID, and while the store is unreachable the
/// queue holds at most its capacity.
public final class SharedFactWriter: Sendable {
    /// The pause between two writes.
    public static let pause = Duration.milliseconds(400)

    private struct Waiting {
        var facts: [SharedFact.ID: SharedFact] = [:]
        /// The IDs in order of arrival. A repeated ID retains its first place.
        var order: [SharedFact.ID] = []
        var dropped = 0
    }

    private let store: any SharedFactStore
    /// The identifier of this process.
    public let origin: [UInt8]
    private let capacity: Int
    private let waiting = Mutex(Waiting())
    /// The number of facts in one write. It bounds the time that other writers wait.
    private static let batch = 100

    /// - Parameters:
    ///   - store: The store of the facts.
    ///   - origin: Bytes that are unique to this process.
    ///   - capacity: The maximum number of waiting facts. Further facts stay local to this process.
    public init(store: any SharedFactStore, origin: [UInt8], capacity: Int = 50_000) {
        self.store = store
        self.origin = origin
        self.capacity = capacity
    }

    /// Adds a fact and returns immediately.
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

    /// Writes all waiting facts.
    ///
    /// - Throws: The store's error when the facts could not be stored. They then continue to wait.
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
                release(facts)
                throw error
            }
        }
    }

    /// Returns the number of facts dropped for lack of capacity since the last call.
    public func drainDroppedCount() -> Int {
        waiting.withLock { waiting in
            defer { waiting.dropped = 0 }
            return waiting.dropped
        }
    }

    private func release(_ facts: [SharedFact]) {
        waiting.withLock { waiting in
            // A fact of the same ID that was added meanwhile is later and stays.
            let missing = facts.filter { waiting.facts[$0.id] == nil }
            for fact in missing { waiting.facts[fact.id] = fact }
            waiting.order.insert(contentsOf: missing.map(\.id), at: 0)
        }
    }
}
