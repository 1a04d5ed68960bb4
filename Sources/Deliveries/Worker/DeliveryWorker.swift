import Foundation
package import Gatefold
import Protections

/// What is delivered for one publication, by whom.
package struct DeliveryPlan: Sendable {
    package let publication: PublicationID
    package let carrier: any DeliveryCarrier
    package let pace: DeliveryPace

    package init(publication: PublicationID, carrier: any DeliveryCarrier, pace: DeliveryPace = DeliveryPace()) {
        self.publication = publication
        self.carrier = carrier
        self.pace = pace
    }
}

/// Hands the outbox's deliveries to their carriers until it is cancelled, each publication's by itself: one whose service
/// hangs holds up no other.
///
/// An account's deliveries are made one after the other, the oldest first, those of different accounts beside one another. One
/// that fails holds nothing back, not even of the same account: credits may come in any order, but they must come.
package struct DeliveryWorker: Sendable {
    /// Between two looks at the outbox when nobody rings, in seconds: what another process put into it is found then.
    static let period: TimeInterval = 5
    package static let mostCounted = 1_000

    private let outbox: any DeliveryOutbox
    private let plans: @Sendable () -> [DeliveryPlan]
    private let bell: DeliveryBell
    private let clock: WallClock
    private let random: RandomSource
    private let observe: @Sendable (DeliveryEvent) -> Void

    /// - Parameters:
    ///   - plans: asked before each round, so that a reload takes effect at once.
    ///   - observe: told what happened; must return at once.
    package init(
        outbox: any DeliveryOutbox, plans: @escaping @Sendable () -> [DeliveryPlan], bell: DeliveryBell,
        clock: WallClock, random: RandomSource = .system,
        observe: @escaping @Sendable (DeliveryEvent) -> Void = { _ in }
    ) {
        self.outbox = outbox
        self.plans = plans
        self.bell = bell
        self.clock = clock
        self.random = random
        self.observe = observe
    }

    /// Delivers until it is cancelled, and finishes the attempts that are under way then.
    package func run() async {
        await withDiscardingTaskGroup { group in
            // Those that a reload takes away are followed on, with nothing to do: it may bring them back.
            var followed: Set<PublicationID> = []
            while !Task.isCancelled {
                let heard = bell.rings
                for publication in plans().map(\.publication) where followed.insert(publication).inserted {
                    group.addTask { await follow(publication) }
                }
                do { try await bell.wait(after: heard, atMost: Self.period) } catch { break }
            }
        }
    }

    private func follow(_ publication: PublicationID) async {
        while !Task.isCancelled {
            let heard = bell.rings
            if await deliverDue(in: publication) { continue }
            do { try await bell.wait(after: heard, atMost: Self.period) } catch { return }
        }
    }

    /// One round for a publication.
    ///
    /// - Returns: whether there is more to do at once.
    func deliverDue(in publication: PublicationID) async -> Bool {
        guard let plan = plans().first(where: { $0.publication == publication }) else { return false }
        do {
            let limit = plan.pace.atOnce * 8
            let due = try await outbox.deliveriesDue(in: plan.publication, at: clock.now, limit: limit)
            let isWell = due.isEmpty ? true : try await deliver(due, by: plan)
            let waiting = try await outbox.deliveries(in: plan.publication, waiting: true, limit: Self.mostCounted)
            observe(.waiting(plan.publication, count: waiting.count))
            return isWell && due.count == limit
        } catch is CancellationError {
            return false
        } catch {
            observe(.outboxFailed(plan.publication, cause: String(describing: type(of: error))))
            return false
        }
    }

    /// - Returns: false when the other side is left in peace, so that the rest waits.
    private func deliver(_ due: [DeliveryRecord], by plan: DeliveryPlan) async throws -> Bool {
        var accounts: [String: [DeliveryRecord]] = [:]
        var order: [String] = []
        for record in due {
            let account = record.delivery.credit.account
            if accounts[account] == nil { order.append(account) }
            accounts[account, default: []].append(record)
        }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            var isWell = true
            for (index, account) in order.enumerated() {
                if index >= plan.pace.atOnce, let result = try await group.next() { isWell = isWell && result }
                guard isWell, !Task.isCancelled else { break }
                let records = accounts[account] ?? []
                group.addTask {
                    for record in records {
                        guard !Task.isCancelled, try await deliver(record, by: plan) else { return false }
                    }
                    return true
                }
            }
            for try await result in group { isWell = isWell && result }
            return isWell
        }
    }

    /// Makes an attempt to its end, also when the worker is to stop: what was done and not noted would be done again.
    ///
    /// - Returns: false when it was not tried.
    private func deliver(_ record: DeliveryRecord, by plan: DeliveryPlan) async throws -> Bool {
        // A task of its own is not cancelled with the worker.
        try await Task { try await attempt(record, by: plan) }.value
    }

    private func attempt(_ record: DeliveryRecord, by plan: DeliveryPlan) async throws -> Bool {
        let (id, lease, now) = (record.delivery.id, random.bytes(16), clock.now)
        // Since the round began, another process may have taken it, an operator settled it, or a store taken it back.
        guard try await outbox.claim(id, lease: lease, at: now, until: now.addingTimeInterval(plan.pace.lease)) else {
            return true
        }
        do {
            try await plan.carrier.deliver(record.delivery)
        } catch ProtectionError.breakerOpen {
            try await outbox.release(id, lease: lease, at: clock.now)
            return false
        } catch {
            try await fail(record, lease, error, plan)
            return true
        }
        try await outbox.delivered(record.delivery.id, at: clock.now)
        observe(.delivered(plan.publication))
        return true
    }

    private func fail(
        _ record: DeliveryRecord, _ lease: [UInt8], _ error: any Error, _ plan: DeliveryPlan
    ) async throws {
        var attempts = 0
        if case .waiting(let before, _, _) = record.standing { attempts = before }
        let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
        let isRefusal = (error as? any AnswerFailure)?.isOfOneAnswer ?? false
        let now = clock.now
        let next = now.addingTimeInterval(plan.pace.wait(after: error, attempts: attempts))
        observe(
            .failed(
                plan.publication, reference: record.delivery.id.reference, cause: cause, isRefusal: isRefusal))
        try await outbox.deliveryFailed(record.delivery.id, lease: lease, cause: cause, at: now, next: next)
    }
}
