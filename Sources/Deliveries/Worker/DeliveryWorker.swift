package import Commerce
import Foundation
package import Gatefold
package import Primitives
import Resilience

/// The delivery plan of one publication: its carrier and its pace.
package struct DeliveryPlan: Sendable {
    package let publication: PublicationID
    package let transport: any DeliveryTransport
    package let retryPolicy: DeliveryRetryPolicy

    package init(
        publication: PublicationID, transport: any DeliveryTransport,
        retryPolicy: DeliveryRetryPolicy = DeliveryRetryPolicy()
    ) {
        self.publication = publication
        self.transport = transport
        self.retryPolicy = retryPolicy
    }
}

/// A worker that passes the outbox's deliveries to their carriers until it is cancelled. Publications are
/// independent of each other, so that a hanging service delays no other publication.
///
/// The deliveries of one account run one after the other, the oldest first. The deliveries of different accounts
/// run concurrently. A failed delivery delays no other delivery, not even of the same account, because the order of
/// credits does not matter.
package struct DeliveryWorker: Sendable {
    /// The interval in seconds between two polls of the outbox without a signal. The poll finds the deliveries that
    /// other processes added.
    static let period: TimeInterval = 5
    package static let maxCounted = 1_000

    private let outbox: any DeliveryOutbox
    private let plans: @Sendable () -> [DeliveryPlan]
    private let signal: DeliverySignal
    private let clock: WallClock
    private let random: RandomSource
    private let observe: @Sendable (DeliveryEvent) -> Void

    /// - Parameters:
    ///   - plans: Returns the current plans. Called before each round, so that a reload takes effect immediately.
    ///   - observe: Receives each event. Must return immediately.
    package init(
        outbox: any DeliveryOutbox, plans: @escaping @Sendable () -> [DeliveryPlan], signal: DeliverySignal,
        clock: WallClock, random: RandomSource = .system,
        observe: @escaping @Sendable (DeliveryEvent) -> Void = { _ in }
    ) {
        self.outbox = outbox
        self.plans = plans
        self.signal = signal
        self.clock = clock
        self.random = random
        self.observe = observe
    }

    /// Delivers until the task is cancelled, and then completes the attempts under way.
    package func run() async {
        await withDiscardingTaskGroup { group in
            // A publication that a reload removes is still followed without any work, because a later reload may
            // restore it.
            var followed: Set<PublicationID> = []
            while !Task.isCancelled {
                let lastSeen = signal.signalCount
                for publication in plans().map(\.publication) where followed.insert(publication).inserted {
                    group.addTask { await follow(publication) }
                }
                do { try await signal.wait(after: lastSeen, timeout: Self.period) } catch { break }
            }
        }
    }

    private func follow(_ publication: PublicationID) async {
        while !Task.isCancelled {
            let lastSeen = signal.signalCount
            if await deliverDue(in: publication) { continue }
            do { try await signal.wait(after: lastSeen, timeout: Self.period) } catch { return }
        }
    }

    /// Performs one round for a publication.
    ///
    /// - Returns: True if more deliveries are due immediately.
    func deliverDue(in publication: PublicationID) async -> Bool {
        guard let plan = plans().first(where: { $0.publication == publication }) else { return false }
        do {
            let limit = plan.retryPolicy.maxConcurrent * 8
            let due = try await outbox.deliveriesDue(in: plan.publication, at: clock.now, limit: limit)
            let made = due.isEmpty ? 0 : try await deliver(due, by: plan)
            observe(
                .pending(
                    plan.publication,
                    count: try await outbox.pendingDeliveries(in: plan.publication, limit: Self.maxCounted)))
            // A round without an attempt is not repeated at once, because other processes have its deliveries.
            return due.count == limit && made.map { $0 > 0 } == true
        } catch is CancellationError {
            return false
        } catch {
            observe(.outboxFailed(plan.publication, cause: String(describing: type(of: error))))
            return false
        }
    }

    /// Delivers the due records.
    ///
    /// - Returns: The number of attempts; nil if the circuit breaker is open or the worker stops, so that the remaining
    ///   deliveries wait.
    private func deliver(_ due: [DeliveryRecord], by plan: DeliveryPlan) async throws -> Int? {
        var accounts: [String: [DeliveryRecord]] = [:]
        var order: [String] = []
        for record in due {
            let account = record.delivery.credit.account
            if accounts[account] == nil { order.append(account) }
            accounts[account, default: []].append(record)
        }
        let round = DeliveryRound(plan, outbox: outbox, clock: clock, random: random, observe: observe)
        return try await withThrowingTaskGroup(of: Int?.self) { group in
            var made: Int? = 0
            func add(_ result: Int?) { made = made.flatMap { sum in result.map { sum + $0 } } }
            for (index, account) in order.enumerated() {
                if index >= plan.retryPolicy.maxConcurrent, let result = try await group.next() {
                    add(result)
                }
                guard made != nil, !Task.isCancelled else { break }
                let records = accounts[account] ?? []
                group.addTask {
                    var made = 0
                    for record in records {
                        guard !Task.isCancelled else { return nil }
                        switch try await round.deliver(record) {
                        case .made: made += 1
                        case .leftToOther: break
                        case .suspended: return nil
                        }
                    }
                    return made
                }
            }
            for try await result in group { add(result) }
            return made
        }
    }
}
