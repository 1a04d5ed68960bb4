import Commerce
import Foundation
import Gatefold
import Primitives
import Resilience

/// The attempts of one round of a publication. Claims and successes of concurrent attempts are written together, because a
/// transaction costs the state more than a delivery in it.
struct DeliveryRound: Sendable {
    /// The maximum number of deliveries in one transaction.
    private static let maxTogether = 100

    private let plan: DeliveryPlan
    private let outbox: any DeliveryOutbox
    private let clock: WallClock
    private let observe: @Sendable (DeliveryEvent) -> Void
    /// Returns the lease of a claimed delivery, or nil if another process has the delivery or has completed it.
    private let claims: CallCombiner<Delivery.ID, [UInt8]?>
    private let successes: CallCombiner<Delivery.ID, Result<Void, any Error>>

    init(
        _ plan: DeliveryPlan, outbox: any DeliveryOutbox, clock: WallClock, random: RandomSource,
        observe: @escaping @Sendable (DeliveryEvent) -> Void
    ) {
        self.plan = plan
        self.outbox = outbox
        self.clock = clock
        self.observe = observe
        claims = CallCombiner(maxItems: Self.maxTogether) { ids in
            let (lease, now) = (random.bytes(16), clock.now)
            let end = now.addingTimeInterval(plan.retryPolicy.lease)
            let claimed = try await outbox.claim(ids, lease: lease, at: now, until: end)
            return ids.map { claimed.contains($0) ? lease : nil }
        }
        successes = CallCombiner(maxItems: Self.maxTogether) { ids in await Self.record(ids, in: outbox, at: clock.now)
        }
    }

    /// Records successes together. If that fails, each is recorded alone, because one row that another transaction holds would
    /// otherwise let all of them be delivered again.
    private static func record(
        _ ids: [Delivery.ID], in outbox: any DeliveryOutbox, at timestamp: Date
    ) async -> [Result<Void, any Error>] {
        do {
            try await outbox.delivered(ids, at: timestamp)
            return ids.map { _ in .success(()) }
        } catch {
            guard ids.count > 1 else { return [.failure(error)] }
            var results: [Result<Void, any Error>] = []
            for id in ids { results += await record([id], in: outbox, at: timestamp) }
            return results
        }
    }

    /// Completes an attempt even if the worker stops, because a delivery without a recorded outcome would be
    /// repeated.
    func deliver(_ record: DeliveryRecord) async throws -> DeliveryAttempt {
        // An unstructured task is not cancelled together with the worker.
        try await Task { try await attempt(record) }.value
    }

    private func attempt(_ record: DeliveryRecord) async throws -> DeliveryAttempt {
        let id = record.delivery.id
        // Since the round began, another process may have claimed the delivery, an operator may have settled it, or
        // a store may have revoked it.
        guard let lease = try await claims.result(for: id) else { return .leftToOther }
        do {
            try await plan.transport.deliver(record.delivery)
        } catch ProtectionError.breakerOpen {
            try await outbox.release(id, lease: lease, at: clock.now)
            return .suspended
        } catch {
            try await fail(record, lease, error)
            return .made
        }
        try await successes.result(for: id).get()
        observe(.delivered(plan.publication))
        return .made
    }

    private func fail(_ record: DeliveryRecord, _ lease: [UInt8], _ error: any Error) async throws {
        var attempts = 0
        if case .pending(let before, _, _) = record.status { attempts = before }
        let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
        let isRejection = (error as? any RequestScopedFailure)?.isRequestScoped ?? false
        let now = clock.now
        let next = now.addingTimeInterval(plan.retryPolicy.wait(after: error, attempts: attempts))
        observe(
            .failed(
                plan.publication, reference: record.delivery.id.reference, cause: cause, isRejection: isRejection))
        try await outbox.deliveryFailed(record.delivery.id, lease: lease, cause: cause, at: now, next: next)
    }
}
