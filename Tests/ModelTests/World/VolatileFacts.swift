import Foundation
import Gatefold

/// Keeps the facts that processes share in memory.
actor VolatileFacts: SharedFactStore {
    private var rows: [(sequence: Int64, origin: [UInt8], fact: SharedFact)] = []
    private var sequence: Int64 = 0
    private let clock: WallClock

    init(clock: WallClock) {
        self.clock = clock
    }

    func record(_ facts: [SharedFact], origin: [UInt8]) {
        for fact in facts {
            let recorded = rows.first { $0.fact.id == fact.id }
            if let recorded, !fact.addsUp, recorded.origin != origin, recorded.fact.moment > fact.moment,
                recorded.fact.moment <= clock.now
            {
                continue
            }
            let value = recorded.map { fact.value(joinedWith: $0.fact.value) } ?? fact.value
            rows.removeAll { fact.takesPlace(of: $0.fact) }
            sequence += 1
            rows.append(
                (sequence, origin, SharedFact(id: fact.id, value: value, moment: fact.moment, end: fact.end)))
        }
    }

    func sharedFacts(after sequence: Int64, besides origin: [UInt8], limit: Int) -> SharedFactPage {
        let page = rows.filter { $0.sequence > sequence }.prefix(limit)
        let last = page.last?.sequence ?? sequence
        return SharedFactPage(
            facts: page.filter { $0.origin != origin }.map(\.fact), next: page.count == limit ? last : nil,
            sequence: last, unreadable: 0)
    }

    /// By the clock of a store, which is not set ahead, no history lasts long enough.
    func discardSharedFacts(endedBefore moment: Date, most: Int) {}
}
