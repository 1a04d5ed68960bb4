import Foundation
import Gatefold

/// An outbox that forgets everything when the test ends.
actor VolatileOutbox: DeliveryOutbox {
    struct Broken: Error {}

    private var records: [Delivery.ID: DeliveryRecord] = [:]
    private var order: [Delivery.ID] = []
    private var leases: [Delivery.ID: [UInt8]] = [:]
    /// So many notes of deliveries are lost, as when the program is killed between the delivery and its note.
    private var lost = 0

    func order(_ delivery: Delivery, at moment: Date) {
        order.append(delivery.id)
        records[delivery.id] = DeliveryRecord(
            delivery: delivery, ordered: moment, standing: .waiting(attempts: 0, next: moment, cause: nil))
    }

    func loseNotes(_ count: Int) { lost = count }

    func standing(_ id: Delivery.ID) -> DeliveryRecord.Standing? { records[id]?.standing }

    func deliveriesDue(in publication: PublicationID, at moment: Date, limit: Int) -> [DeliveryRecord] {
        let due = order.compactMap { records[$0] }.filter {
            guard case .waiting(_, let next, _) = $0.standing else { return false }
            return $0.delivery.publication == publication && next <= moment
        }
        return Array(due.prefix(limit))
    }

    func delivered(_ id: Delivery.ID, at moment: Date) throws -> Bool {
        // As a database does, which a cancelled task can not write to.
        try Task.checkCancellation()
        if lost > 0 {
            lost -= 1
            throw Broken()
        }
        guard isWaiting(id) else { return false }
        set(.delivered(at: moment), id)
        return true
    }

    func claim(_ id: Delivery.ID, lease: [UInt8], at moment: Date, until end: Date) throws -> Bool {
        try Task.checkCancellation()
        guard case .waiting(let attempts, let next, let cause) = records[id]?.standing, next <= moment else {
            return false
        }
        leases[id] = lease
        set(.waiting(attempts: attempts + 1, next: end, cause: cause), id)
        return true
    }

    func release(_ id: Delivery.ID, lease: [UInt8], at moment: Date) throws {
        try Task.checkCancellation()
        guard leases[id] == lease, case .waiting(let attempts, _, let cause) = records[id]?.standing else { return }
        leases[id] = nil
        set(.waiting(attempts: attempts - 1, next: moment, cause: cause), id)
    }

    func settleDelivery(_ id: Delivery.ID, at moment: Date) -> Bool {
        guard isWaiting(id) else { return false }
        set(.delivered(at: moment), id)
        return true
    }

    /// Its purchase is refunded.
    func takeBack(_ id: Delivery.ID) { set(.takenBack, id) }

    func retryDelivery(_ id: Delivery.ID, at moment: Date) -> Bool {
        guard case .waiting(let attempts, _, let cause) = records[id]?.standing else { return false }
        set(.waiting(attempts: attempts, next: moment, cause: cause), id)
        return true
    }

    private func isWaiting(_ id: Delivery.ID) -> Bool {
        if case .waiting = records[id]?.standing { true } else { false }
    }

    func deliveryFailed(_ id: Delivery.ID, lease: [UInt8], cause: String, at moment: Date, next: Date) throws {
        try Task.checkCancellation()
        guard leases[id] == lease, case .waiting(let attempts, _, _) = records[id]?.standing else { return }
        leases[id] = nil
        set(.waiting(attempts: attempts, next: next, cause: cause), id)
    }

    func deliveries(in publication: PublicationID, waiting: Bool, limit: Int) -> [DeliveryRecord] {
        let all = order.reversed().compactMap { records[$0] }.filter {
            guard $0.delivery.publication == publication else { return false }
            if case .waiting = $0.standing { return true }
            return !waiting
        }
        return Array(all.prefix(limit))
    }

    private func set(_ standing: DeliveryRecord.Standing, _ id: Delivery.ID) {
        guard let record = records[id] else { return }
        records[id] = DeliveryRecord(delivery: record.delivery, ordered: record.ordered, standing: standing)
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
