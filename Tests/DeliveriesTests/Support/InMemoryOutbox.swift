import Commerce
import Foundation
import Gatefold

/// An in-memory outbox.
actor InMemoryOutbox: DeliveryOutbox {
    struct SimulatedError: Error {}

    private var records: [Delivery.ID: DeliveryRecord] = [:]
    private var order: [Delivery.ID] = []
    private var leases: [Delivery.ID: [UInt8]] = [:]
    /// The number of delivery records to lose, as if the process were killed between the delivery and its record.
    private var lost = 0
    /// A delivery whose success cannot be recorded.
    private var blocked: Delivery.ID?
    private var losesClaims = false
    /// The number of deliveries in each call that claims some.
    private(set) var claims: [Int] = []

    func order(_ delivery: Delivery, at timestamp: Date) {
        order.append(delivery.id)
        records[delivery.id] = DeliveryRecord(
            delivery: delivery, ordered: timestamp, status: .pending(attempts: 0, next: timestamp, cause: nil))
    }

    /// Lets every claim find that another process holds the rows at that moment.
    func loseClaims() { losesClaims = true }

    func block(_ id: Delivery.ID) { blocked = id }

    func loseRecords(_ count: Int) { lost = count }

    func status(_ id: Delivery.ID) -> DeliveryRecord.DeliveryStatus? { records[id]?.status }

    func deliveriesDue(in publication: PublicationID, at timestamp: Date, limit: Int) -> [DeliveryRecord] {
        let due = order.compactMap { records[$0] }.filter {
            guard case .pending(_, let next, _) = $0.status else { return false }
            return $0.delivery.publication == publication && next <= timestamp
        }
        return Array(due.prefix(limit))
    }

    func delivered(_ ids: [Delivery.ID], at timestamp: Date) throws -> Set<Delivery.ID> {
        if let blocked, ids.contains(blocked) { throw SimulatedError() }
        return Set(try ids.filter { try delivered($0, at: timestamp) })
    }

    private func delivered(_ id: Delivery.ID, at timestamp: Date) throws -> Bool {
        // Like a database, which a cancelled task cannot write to.
        try Task.checkCancellation()
        if lost > 0 {
            lost -= 1
            throw SimulatedError()
        }
        guard isPending(id) else { return false }
        set(.delivered(at: timestamp), id)
        return true
    }

    func claim(_ ids: [Delivery.ID], lease: [UInt8], at timestamp: Date, until end: Date) throws -> Set<Delivery.ID> {
        claims.append(ids.count)
        try Task.checkCancellation()
        guard !losesClaims else { return [] }
        return Set(ids.filter { claim($0, lease: lease, at: timestamp, until: end) })
    }

    private func claim(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date, until end: Date) -> Bool {
        guard case .pending(let attempts, let next, let cause) = records[id]?.status, next <= timestamp else {
            return false
        }
        leases[id] = lease
        set(.pending(attempts: attempts + 1, next: end, cause: cause), id)
        return true
    }

    func release(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date) throws {
        try Task.checkCancellation()
        guard leases[id] == lease, case .pending(let attempts, _, let cause) = records[id]?.status else { return }
        leases[id] = nil
        set(.pending(attempts: attempts - 1, next: timestamp, cause: cause), id)
    }

    func settleDelivery(_ id: Delivery.ID, at timestamp: Date) -> Bool {
        guard isPending(id) else { return false }
        set(.delivered(at: timestamp), id)
        return true
    }

    /// Marks the purchase as refunded.
    func revoke(_ id: Delivery.ID) { set(.refunded, id) }

    func retryDelivery(_ id: Delivery.ID, at timestamp: Date) -> Bool {
        guard case .pending(let attempts, _, let cause) = records[id]?.status else { return false }
        set(.pending(attempts: attempts, next: timestamp, cause: cause), id)
        return true
    }

    private func isPending(_ id: Delivery.ID) -> Bool {
        if case .pending = records[id]?.status { true } else { false }
    }

    func deliveryFailed(_ id: Delivery.ID, lease: [UInt8], cause: String, at timestamp: Date, next: Date) throws {
        try Task.checkCancellation()
        guard leases[id] == lease, case .pending(let attempts, _, _) = records[id]?.status else { return }
        leases[id] = nil
        set(.pending(attempts: attempts, next: next, cause: cause), id)
    }

    func deliveries(
        in publication: PublicationID, pendingOnly: Bool, after position: DeliveryPosition?, limit: Int
    ) -> [DeliveryRecord] {
        let later = order.reversed().drop { $0 != position?.id }.dropFirst()
        let all = (position == nil ? Array(order.reversed()) : Array(later)).compactMap { records[$0] }.filter {
            guard $0.delivery.publication == publication else { return false }
            if case .pending = $0.status { return true }
            return !pendingOnly
        }
        return Array(all.prefix(limit))
    }

    func pendingDeliveries(in publication: PublicationID, limit: Int) -> Int {
        deliveries(in: publication, pendingOnly: true, after: nil, limit: limit).count
    }

    private func set(_ status: DeliveryRecord.DeliveryStatus, _ id: Delivery.ID) {
        guard let record = records[id] else { return }
        records[id] = DeliveryRecord(delivery: record.delivery, ordered: record.ordered, status: status)
    }
}

extension PublicationID {
    static let title = PublicationID("title")!
    static let other = PublicationID("other")!
}

extension Delivery {
    static func sample(
        _ transaction: String = "1000", account: String = "1001", product: String = "credit5", quantity: Int = 1,
        price: String? = "4,99 €", in publication: PublicationID = .title
    ) -> Delivery {
        Delivery(
            id: ID(store: StoreName("app-store")!, transaction: transaction), publication: publication,
            credit: Credit(account: account, price: price, currency: "EUR"), product: product, quantity: quantity,
            purchased: Date(timeIntervalSince1970: 1_793_000_000), environment: .production)
    }
}
