import Commerce
import Foundation
import Gatefold
import Primitives

@testable import State

/// The revocations as a follower reads them, with the faults of the cursor and of the pruning.
struct FollowedRevocations: RevocationStore, StateRetention {
    let store: SQLStateStore
    let fault: PlantedFault?
    /// The clock of the node's machine.
    let machine: WallClock

    func record(_ revocation: Revocation) async throws { try await store.record(revocation) }

    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage {
        try await store.revocations(numbered: sequences)
    }

    func sessionFloor() async throws -> Date? { try await store.sessionFloor() }

    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws {
        try await store.record(bounds, of: publication)
    }

    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        guard fault == .sequenceCursor else { return try await store.revocations(after: position, limit: limit) }
        let timestamp = machine.now
        return try await store.database.read { db in
            var page = RevocationPage()
            var last = position.sequence
            try db.forEach(
                "SELECT \(RevocationRow.columns) FROM revocation WHERE sequence > ? ORDER BY sequence", [last]
            ) { row in
                last = try StateRow.integer(row, 0, "revocation")
                page.add(try RevocationRow.read(row, at: timestamp))
            }
            page.end = ChangePosition(sequence: last)
            page.isLast = true
            return page
        }
    }

    func maintain() async throws -> [PublicationID: Date] {
        if fault == .localPruning {
            let now = machine.now.timeIntervalSince1970
            try await store.database.write(.statements) { db in
                try db.execute("DELETE FROM revocation WHERE expires < ?", [now])
            }
        }
        return try await store.maintain()
    }
}

/// Counters that are read and then written.
struct CheckThenActCounters: SharedCounterStore {
    let store: SQLStateStore

    func charge(_ counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        let levels = try await store.levels(of: counters, window: window)
        let now = store.clock.now.timeIntervalSince1970
        for (counter, level) in zip(counters, levels) where level.hadRoom {
            try await store.database.write(.statements) { db in
                try db.execute(
                    "UPDATE rate_counter SET empty_at = ? WHERE key = ?",
                    [now + level.debt + counter.cost(in: window), Data(counter.key)])
            }
        }
        return levels
    }

    func levels(of counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        try await store.levels(of: counters, window: window)
    }

    func emptyCounters(_ keys: [[UInt8]]) async throws { try await store.emptyCounters(keys) }
}

/// The outbox of a node, which reports the claims to the checks.
struct ObservedOutbox: DeliveryOutbox {
    let store: SQLStateStore
    let checks: Checks
    let life: NodeLife
    let fault: PlantedFault?

    func deliveriesDue(
        in publication: PublicationID, at timestamp: Date, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await store.deliveriesDue(in: publication, at: timestamp, limit: limit)
    }

    func claim(
        _ ids: [Delivery.ID], lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> Set<Delivery.ID> {
        let start = life.simulation.now
        let claimed = try await store.claim(ids, lease: lease, at: timestamp, until: end)
        for id in ids where claimed.contains(id) {
            checks.claimed(id, lease: lease, from: start, for: end.timeIntervalSince(timestamp), by: life)
        }
        return claimed
    }

    func release(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date) async throws {
        checks.released(id, lease: lease)
        try await store.release(id, lease: lease, at: timestamp)
    }

    func delivered(_ ids: [Delivery.ID], at timestamp: Date) async throws -> Set<Delivery.ID> {
        let first = try await store.delivered(ids, at: timestamp)
        for id in ids { checks.delivered(id) }
        return first
    }

    func pendingDeliveries(in publication: PublicationID, limit: Int) async throws -> Int {
        try await store.pendingDeliveries(in: publication, limit: limit)
    }

    func deliveryFailed(
        _ id: Delivery.ID, lease: [UInt8], cause: String, at timestamp: Date, next: Date
    ) async throws {
        checks.released(id, lease: lease)
        guard fault == .unfencedLease else {
            return try await store.deliveryFailed(id, lease: lease, cause: cause, at: timestamp, next: next)
        }
        try await store.database.write(.statements) { db in
            try db.execute(
                "UPDATE delivery SET lease = NULL, next = ?, next_set = ? WHERE \(DeliveryRow.isUndelivered)",
                [next.timeIntervalSince1970, timestamp.timeIntervalSince1970, id.store.rawValue, id.transaction])
        }
    }

    func settleDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await store.settleDelivery(id, at: timestamp)
    }

    func retryDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await store.retryDelivery(id, at: timestamp)
    }

    func deliveries(
        in publication: PublicationID, pendingOnly: Bool, after position: DeliveryPosition?, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await store.deliveries(in: publication, pendingOnly: pendingOnly, after: position, limit: limit)
    }
}
