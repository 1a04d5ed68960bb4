import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Delivery outbox", .stateServers, .serialized) struct OutboxConformance {
    private func order(
        _ id: String, in publication: PublicationID = daily, at timestamp: Date = noon, from store: any PurchaseLedger
    ) async throws -> Delivery {
        let transaction = StoreTransaction.sample(id)
        let delivery = Delivery(
            transaction, to: Credit(account: "4711", price: "1.99", currency: "EUR"), in: publication)
        try await store.claim(transaction, by: buyer(1), receipt: id, delivering: [delivery], at: timestamp)
        return delivery
    }

    @Test(
        "Holds deliveries, oldest first, until they are delivered",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func due(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let second = try await order("1", at: noon + 2, from: store)
            let first = try await order("2", at: noon + 1, from: store)
            _ = try await order("3", in: weekly, from: store)
            let due = try await store.deliveriesDue(in: daily, at: noon + 2, limit: 9)
            #expect(due.map(\.delivery) == [first, second])
            #expect(due.map(\.ordered) == [noon + 1, noon + 2])
            #expect(due.first?.status == .pending(attempts: 0, next: noon + 1, cause: nil))
            #expect(try await store.deliveriesDue(in: daily, at: noon + 1, limit: 9).map(\.delivery) == [first])
            #expect(try await store.deliveriesDue(in: daily, at: noon + 2, limit: 1).map(\.delivery) == [first])
            #expect(try await store.delivered(first.id, at: noon + 3))
            #expect(try await store.deliveriesDue(in: daily, at: noon + 9, limit: 9).map(\.delivery) == [second])
            let all = try await store.deliveries(in: daily, pendingOnly: false, limit: 9)
            #expect(all.map(\.delivery) == [second, first])
            #expect(all.last?.status == .delivered(at: noon + 3))
            #expect(try await store.deliveries(in: daily, pendingOnly: true, limit: 9).map(\.delivery) == [second])
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 1).count == 1)
        }
    }

    @Test(
        "Lists all deliveries in pages that follow each other, also those of one moment",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func pages(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            for number in 1...7 {
                _ = try await order("\(number)", at: noon + Double(number / 3) * 0.1, from: store)
            }
            _ = try await order("other", in: weekly, from: store)
            let all = try await store.deliveries(in: daily, pendingOnly: true, limit: 99)
            var found: [DeliveryRecord] = []
            repeat {
                let last = found.last.map { DeliveryPosition(ordered: $0.ordered, id: $0.delivery.id) }
                found += try await store.deliveries(in: daily, pendingOnly: true, after: last, limit: 2)
            } while found.count < 7
            #expect(found.map(\.delivery.id) == all.map(\.delivery.id) && found.count == 7)
            let end = found.last.map { DeliveryPosition(ordered: $0.ordered, id: $0.delivery.id) }
            #expect(try await store.deliveries(in: daily, pendingOnly: true, after: end, limit: 2).isEmpty)
        }
    }

    private func waits(_ id: Delivery.ID, in store: any DeliveryOutbox) async throws -> Bool {
        try await store.deliveries(in: daily, pendingOnly: true, limit: 99).contains { $0.delivery.id == id }
    }

    @Test(
        "Leases a delivery to one process until it fails or the lease ends",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func claimed(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let id = try await order("1", from: store).id
            #expect(try await store.claim(id, lease: [1], at: noon, until: noon + 35))
            #expect(try await !store.claim(id, lease: [2], at: noon + 1, until: noon + 36))
            #expect(try await store.deliveriesDue(in: daily, at: noon + 34, limit: 9).isEmpty)
            let inFlight = try await store.deliveries(in: daily, pendingOnly: true, limit: 9).first
            #expect(
                inFlight?.status == .pending(attempts: 1, next: noon + 35, cause: nil),
                "the attempt is recorded before it is made")
            // The first process seems dead, so its later reports are ignored.
            #expect(try await store.claim(id, lease: [2], at: noon + 35, until: noon + 70))
            try await store.deliveryFailed(id, lease: [1], cause: "late", at: noon, next: noon + 36)
            try await store.release(id, lease: [1], at: noon + 36)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 69, limit: 9).isEmpty)
            try await store.release(id, lease: [2], at: noon + 40)
            let released = try await store.deliveriesDue(in: daily, at: noon + 40, limit: 9).first
            #expect(released?.status == .pending(attempts: 1, next: noon + 40, cause: nil))
            #expect(try await store.claim(id, lease: [3], at: noon + 40, until: noon + 75))
            #expect(try await store.delivered(id, at: noon + 41))
            #expect(try await !store.claim(id, lease: [4], at: noon + 99, until: noon + 134))
        }
    }

    @Test(
        "Claims and completes many deliveries at once, each for one process",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func together(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            var ids: [Delivery.ID] = []
            for number in 0..<250 { ids.append(try await order("\(number)", from: store).id) }
            let all = ids
            // Two processes claim overlapping halves in opposite orders.
            async let first = store.claim(Array(all[..<150]), lease: [1], at: noon, until: noon + 35)
            async let second = store.claim(all[100...].reversed(), lease: [2], at: noon, until: noon + 35)
            let claimed = try await (first, second)
            #expect(claimed.0.isDisjoint(with: claimed.1))
            #expect(claimed.0.isSubset(of: all[..<150]) && claimed.1.isSubset(of: all[100...]))
            // What one process left to the other one, because both came at once, is still due.
            let rest = Set(all).subtracting(claimed.0).subtracting(claimed.1)
            #expect(try await store.claim(Array(rest), lease: [3], at: noon, until: noon + 35) == rest)
            #expect(try await store.claim(all, lease: [4], at: noon + 1, until: noon + 36).isEmpty)
            #expect(try await store.pendingDeliveries(in: daily, limit: 1_000) == 250)
            #expect(try await store.pendingDeliveries(in: daily, limit: 100) == 100)
            #expect(try await store.delivered(Array(all[..<200]), at: noon + 2) == Set(all[..<200]))
            #expect(try await store.delivered(all, at: noon + 3) == Set(all[200...]))
            #expect(try await store.pendingDeliveries(in: daily, limit: 1_000) == 0)
            #expect(try await store.claim([], lease: [5], at: noon, until: noon).isEmpty)
        }
    }

    @Test(
        "Retries a failed delivery later, and never a completed one",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func failing(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let delivery = try await order("1", from: store)
            #expect(try await store.claim(delivery.id, lease: [1], at: noon, until: noon + 35))
            try await store.deliveryFailed(delivery.id, lease: [1], cause: "HTTP 503", at: noon, next: noon + 60)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 59, limit: 9).isEmpty)
            #expect(
                try await store.deliveriesDue(in: daily, at: noon + 60, limit: 9).first?.status
                    == .pending(attempts: 1, next: noon + 60, cause: "HTTP 503"))
            #expect(try await store.delivered(delivery.id, at: noon + 61))
            try await store.deliveryFailed(delivery.id, lease: [1], cause: "late", at: noon, next: noon + 99)
            #expect(try await !store.delivered(delivery.id, at: noon + 62))
            #expect(
                try await store.deliveries(in: daily, pendingOnly: false, limit: 9).map(\.status)
                    == [.delivered(at: noon + 61)])
        }
    }

    @Test(
        "Failed and new deliveries from a clock ahead are due at the right time",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func clockSetBack(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let ahead = noon + 86_400
            let failed = try await order("1", from: store)
            #expect(try await store.claim(failed.id, lease: [1], at: ahead, until: ahead + 35))
            try await store.deliveryFailed(failed.id, lease: [1], cause: "HTTP 503", at: ahead, next: ahead + 60)
            let ordered = try await order("2", at: ahead, from: store)
            let due = try await store.deliveriesDue(in: daily, at: noon + 120, limit: 9)
            #expect(Set(due.map(\.delivery.id)) == [failed.id, ordered.id])
            // From then on, it waits for the regular delay.
            #expect(try await store.claim(failed.id, lease: [2], at: noon + 120, until: noon + 155))
            try await store.deliveryFailed(
                failed.id, lease: [2], cause: "HTTP 503", at: noon + 120, next: noon + 240)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 239, limit: 9).map(\.delivery) == [ordered])
            #expect(try await store.deliveriesDue(in: daily, at: noon + 240, limit: 9).count == 2)
        }
    }

    @Test(
        "A retry by an operator makes a delivery due and preserves its history",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func retried(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let delivery = try await order("1", from: store)
            #expect(try await store.claim(delivery.id, lease: [1], at: noon, until: noon + 35))
            #expect(
                try await store.retryDelivery(delivery.id, at: noon + 5),
                "the delivery is pending and an attempt is in progress")
            #expect(try await store.deliveriesDue(in: daily, at: noon + 5, limit: 9).isEmpty)
            try await store.deliveryFailed(delivery.id, lease: [1], cause: "HTTP 503", at: noon, next: noon + 3_600)
            #expect(try await store.retryDelivery(delivery.id, at: noon + 5))
            #expect(
                try await store.deliveriesDue(in: daily, at: noon + 5, limit: 9).first?.status
                    == .pending(attempts: 1, next: noon + 5, cause: "HTTP 503"))
            let typo = Delivery.ID(store: appStore, transaction: "1O")
            #expect(try await !store.retryDelivery(typo, at: noon))
            #expect(try await !store.delivered(typo, at: noon))
            try await store.delivered(delivery.id, at: noon + 6)
            #expect(try await !store.retryDelivery(delivery.id, at: noon))
            #expect(try await store.deliveriesDue(in: daily, at: noon + 99, limit: 9).isEmpty)
        }
    }

    @Test(
        "A refunded delivery is not pending, unless the refund is reversed",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func refunded(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let delivery = try await order("1", from: store)
            try await store.record([.sample("1", revoked: noon + 1, reported: noon + 1)], at: noon + 1)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 9, limit: 9).isEmpty)
            #expect(try await store.deliveries(in: daily, pendingOnly: true, limit: 9).isEmpty)
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).map(\.status) == [.refunded])
            #expect(try await !store.retryDelivery(delivery.id, at: noon))
            try await store.record([.sample("1", reported: noon + 2)], at: noon + 2)
            #expect(try await store.deliveriesDue(in: daily, at: noon + 9, limit: 9).map(\.delivery) == [delivery])
            #expect(try await store.deliveries(in: daily, pendingOnly: true, limit: 9).count == 1)
        }
    }

    @Test(
        "Settles a pending delivery, but not a refunded, erased or unknown one",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func settled(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let settled = try await order("1", from: store).id
            #expect(try await waits(settled, in: store))
            #expect(try await store.settleDelivery(settled, at: noon + 1))
            #expect(try await !waits(settled, in: store))
            #expect(try await !store.settleDelivery(settled, at: noon + 2))

            let taken = try await order("2", from: store).id
            try await store.record([.sample("2", revoked: noon + 1, reported: noon + 1)], at: noon + 1)
            #expect(try await !waits(taken, in: store))
            #expect(try await !store.settleDelivery(taken, at: noon + 2))
            try await store.record([.sample("2", reported: noon + 2)], at: noon + 2)
            #expect(try await waits(taken, in: store), "after the reversal of the refund")
            #expect(try await store.delivered(taken, at: noon + 3))

            let erased = try await order("3", from: store).id
            _ = try await store.erase(buyer(1))
            #expect(try await !waits(erased, in: store))
            #expect(try await !store.settleDelivery(erased, at: noon + 4))

            let typo = Delivery.ID(store: appStore, transaction: "1O")
            #expect(try await !waits(typo, in: store))
            #expect(try await !store.settleDelivery(typo, at: noon))
        }
    }

    @Test(
        "Records a delivery that completed during its refund",
        arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all)
    func deliveredMeanwhile(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let id = try await order("1", from: store).id
            try await store.record([.sample("1", revoked: noon + 1, reported: noon + 1)], at: noon + 1)
            #expect(try await store.delivered(id, at: noon + 2))
            try await store.record([.sample("1", reported: noon + 3)], at: noon + 3)
            #expect(try await !waits(id, in: store))
        }
    }

    @Test(
        "Accepts each transaction once, from any owner", arguments: TestedStore<any PurchaseLedger & DeliveryOutbox>.all
    )
    func once(kind: TestedStore<any PurchaseLedger & DeliveryOutbox>) async throws {
        try await kind.with { store async throws in
            let first = try await order("1", from: store)
            let again = Delivery(.sample("1"), to: Credit(account: "4712"), in: daily)
            try await store.claim(.sample("1"), by: buyer(2), delivering: [again])
            #expect(try await store.deliveries(in: daily, pendingOnly: false, limit: 9).map(\.delivery) == [first])
        }
    }
}
