import Foundation
import Gatefold
import Primitives

/// An in-memory store of shared facts.
actor InMemorySharedFacts: SharedFactStore {
    private var rows: [(sequence: Int64, origin: [UInt8], fact: SharedFact)] = []
    private var sequence: Int64 = 0
    private let clock: WallClock

    init(clock: WallClock) {
        self.clock = clock
    }

    func record(_ facts: [SharedFact], origin: [UInt8]) {
        for fact in facts {
            let recorded = rows.first { $0.fact.id == fact.id }
            if let recorded, !fact.isMergeable, recorded.origin != origin, recorded.fact.timestamp > fact.timestamp,
                recorded.fact.timestamp <= clock.now
            {
                continue
            }
            let value = recorded.map { fact.value(mergedWith: $0.fact.value) } ?? fact.value
            rows.removeAll { fact.supersedes($0.fact) }
            sequence += 1
            rows.append(
                (sequence, origin, SharedFact(id: fact.id, value: value, timestamp: fact.timestamp, end: fact.end)))
        }
    }

    func sharedFacts(after position: ChangePosition, excluding origin: [UInt8], limit: Int) -> SharedFactPage {
        let page = rows.filter { $0.sequence > position.sequence }.prefix(limit)
        return SharedFactPage(
            facts: page.filter { $0.origin != origin }.map(\.fact),
            end: ChangePosition(sequence: page.last?.sequence ?? position.sequence), isLast: page.count < limit,
            unreadable: 0)
    }

    /// Discards nothing, because no history lasts long enough by the store's clock.
    func discardSharedFacts(endedBefore timestamp: Date, limit: Int) {}
}
