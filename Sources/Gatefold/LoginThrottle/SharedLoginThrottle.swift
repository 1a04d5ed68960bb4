public import Foundation
import Primitives

/// A login throttle whose wrong attempts all nodes of a state count together.
///
/// A node admits attempts by the counters that it knows. The shared counters decide, in one statement, whether the outcome
/// of an attempt is revealed. So the outcomes of no more wrong attempts than the limit are revealed, at however many nodes,
/// and an attempt that the node knows to be throttled needs no query. A right attempt takes as long as a wrong one. While the store is unreachable, the node counts for itself.
public final class SharedLoginThrottle: LoginThrottling {
    private let local: LoginThrottle
    private let store: any SharedCounterStore
    private let limits: LoginThrottleLimits
    private let purpose: String
    private let pseudonymKey: PseudonymKey

    /// - Parameters:
    ///   - purpose: The name of the throttle. Throttles of different names count separately.
    ///   - limits: The limits, which are the same at all nodes.
    ///   - store: The store of the shared counters.
    ///   - pseudonymKey: The key of the names of the counters, because a name contains an address.
    ///   - sleep: Waits until an attempt that waits for running attempts is refused.
    public init(
        _ purpose: String, limits: LoginThrottleLimits, store: any SharedCounterStore, pseudonymKey: PseudonymKey,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        local = LoginThrottle(limits: limits, sleep: sleep)
        self.store = store
        self.limits = limits
        self.purpose = purpose
        self.pseudonymKey = pseudonymKey
    }

    public func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict {
        await local.admit(attempt, at: now, isKnownDevice: isKnownDevice)
    }

    @discardableResult
    public func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) async -> LoginAttemptSettlement {
        // An attempt is counted even if its client has disconnected. Without the store, the local counters decide.
        let wait = await Task {
            try? await self.waitAtOtherNodes(permit, as: outcome, of: subscribers, at: now)
        }.value.flatMap(\.self)
        guard let wait else { return local.settle(permit, as: outcome, of: subscribers, at: now) }
        // The attempt is one too many, so it is neither a wrong nor a right one.
        local.settle(permit, as: .undecided, of: [], at: now)
        return .throttled(retryAfter: max(1, Int(wait.rounded(.up))))
    }

    public func lock(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> LoginLock {
        let counters = LoginAttemptCounter.all(of: attempt, subscriber)
        let shared = unique(counters).map(\.counter)
        let levels = try await store.levels(of: shared, window: limits.window)
        let waits = zip(shared, levels).filter { !$1.hadRoom }.map {
            max(0, $1.debt + $0.cost(in: limits.window) - limits.window)
        }
        let local = local.withLedger { $0.wait(for: counters, at: now) }
        return LoginLock(wait: (waits + [local].compactMap(\.self)).max())
    }

    public func failures(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> Int? {
        let counters = LoginAttemptCounter.all(of: attempt, subscriber)
        let shared = unique(counters).map(\.counter)
        let levels = try await store.levels(of: shared, window: limits.window)
        let counts = zip(shared, levels).map { Int(($1.debt / $0.cost(in: limits.window) - 0.000_1).rounded(.up)) }
        let local = local.withLedger { $0.failures(for: counters, at: now) }
        return max(0, counts.max() ?? 0, local)
    }

    public func release(
        _ attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws {
        let counters = LoginAttemptCounter.all(of: attempt, subscriber)
        try await store.emptyCounters(unique(counters).map(\.counter.key))
        local.forget(counters, at: now)
    }

    /// Counts the outcome with the shared counters.
    ///
    /// - Returns: The number of seconds until a used-up counter has room; nil if there is no such counter.
    private func waitAtOtherNodes(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) async throws -> TimeInterval? {
        switch outcome {
        case .undecided: return nil
        case .wrong:
            let counters = local.withLedger { $0.counters(chargedBy: permit, of: subscribers, at: now) }
            let shared = unique(counters)
            return raise(shared, to: try await store.charge(shared.map(\.counter), window: limits.window), at: now)
        case .right:
            try await store.emptyCounters(
                permit.counters.filter { $0.kind == .device || $0.kind == .place }.map(key))
            let counters = local.withLedger { $0.counters(admitting: permit, of: subscribers, at: now) }
            let shared = unique(counters)
            return raise(shared, to: try await store.levels(of: shared.map(\.counter), window: limits.window), at: now)
        }
    }

    /// Sets the local counters to the levels of the shared ones.
    ///
    /// - Returns: The longest wait for a used-up counter.
    private func raise(
        _ counters: [(local: LoginAttemptCounter, counter: SharedCounter)], to levels: [SharedCounterLevel],
        at now: TimeInterval
    ) -> TimeInterval? {
        var wait: TimeInterval?
        for ((counter, shared), level) in zip(counters, levels) {
            guard !level.hadRoom else { continue }
            local.withLedger { $0.raise(counter, to: level.debt, at: now) }
            wait = max(wait ?? 0, level.debt + shared.cost(in: limits.window) - limits.window)
        }
        return wait
    }

    /// Returns the counters that the nodes share. The count of all clients behind an unlisted proxy is not shared, because
    /// each attempt would wait for the one before.
    private func unique(
        _ counters: [LoginAttemptCounter]
    ) -> [(local: LoginAttemptCounter, counter: SharedCounter)] {
        var seen: Set<LoginAttemptCounter> = []
        return counters.filter { $0.kind != .proxy && seen.insert($0).inserted }.map {
            ($0, SharedCounter(key: key($0), limit: limits.limit(of: $0.kind)))
        }
    }

    /// Returns the name of a counter in the store.
    private func key(_ counter: LoginAttemptCounter) -> [UInt8] {
        let parts: [String] =
            switch counter {
            case .reader(let digest), .device(let digest): [Hexadecimal.encode(digest)]
            case .subscriber(let pseudonym): [pseudonym.description]
            case .address(let address), .network(let address), .proxy(let address): [address.description]
            case .place(let place): [Hexadecimal.encode(place.identifier), place.address.description]
            }
        return pseudonymKey.digest("login counter", [purpose, "\(counter.kind)"] + parts)
    }
}
