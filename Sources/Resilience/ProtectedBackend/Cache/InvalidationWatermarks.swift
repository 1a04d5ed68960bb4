import Foundation

/// Invalidation times of groups. A result whose query started before the invalidation is not stored.
struct InvalidationWatermarks: Sendable {
    private var all: UInt64 = 0
    private var latest: [BackendResultStore.Group: UInt64] = [:]
    private var raised: [(group: BackendResultStore.Group, timestamp: LogicalTimestamp)] = []
    private var first = 0

    var count: Int { latest.count }

    mutating func raise(
        _ group: BackendResultStore.Group, _ timestamp: LogicalTimestamp, maxQueryDuration: TimeInterval
    ) {
        latest[group] = max(latest[group] ?? 0, timestamp.order)
        raised.append((group, timestamp))
        // Queries from before such an old barrier have already finished.
        while first < raised.count, raised[first].timestamp.seconds + maxQueryDuration < timestamp.seconds {
            let (group, timestamp) = raised[first]
            if let order = latest[group], order <= timestamp.order { latest[group] = nil }
            first += 1
        }
        if first > 64, first > raised.count / 2 {
            raised.removeFirst(first)
            first = 0
        }
    }

    mutating func raiseAll(_ timestamp: LogicalTimestamp) {
        all = timestamp.order
        latest = [:]
        raised = []
        first = 0
    }

    func bar(_ queried: LogicalTimestamp, _ groups: [BackendResultStore.Group]) -> Bool {
        queried.order <= all || groups.contains { queried.order <= latest[$0] ?? 0 }
    }
}
