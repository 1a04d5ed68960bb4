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
            let isLate = rows.contains {
                $0.fact.id == fact.id && $0.fact.moment > fact.moment && $0.fact.moment <= clock.now
            }
            if isLate { continue }
            let isOfEverything = fact.id.kind == .denial && fact.id.detail.isEmpty
            rows.removeAll { row in
                let id = row.fact.id
                return id == fact.id
                    || isOfEverything && id.kind == .denial && id.subject == fact.id.subject
                        && row.fact.value == fact.value
            }
            sequence += 1
            rows.append((sequence, origin, fact))
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
