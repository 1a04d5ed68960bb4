import Foundation
import Gatefold
import Primitives
import Resilience
import Synchronization

/// The concurrent queries to the watched backend, their comparison and its counters.
final class ShadowMonitor: Sendable {
    /// The maximum number of readers whose counterpart in the watched system is cached. The oldest are evicted.
    private static let maxReaders = 100_000

    private struct State {
        var present = 0
        var counterparts = BoundedCache<SubscriberPseudonym, Subscriber>(capacity: ShadowMonitor.maxReaders)
    }

    private let shadow: String
    private let backend: ResolvedBackend
    private let share: Int
    private let maxConcurrent: Int
    private let pseudonymKey: PseudonymKey
    private let clock: WallClock
    private let observe: @Sendable (BackendEvent) -> Void
    private let state = Mutex(State())
    private let detailLimiter = LogRateLimiter(perMinute: 10)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - shadow: The name of the shadow backend.
    ///   - share: The percentage of readers that are compared. The selection of readers is stable.
    ///   - maxConcurrent: The maximum number of concurrent queries. Excess queries are not sent.
    init(
        shadow: String, watching backend: any SubscriberBackend, share: Int, maxConcurrent: Int,
        services: BackendServices
    ) {
        self.shadow = shadow
        self.backend = ResolvedBackend(backend)
        self.share = share
        self.maxConcurrent = maxConcurrent
        pseudonymKey = services.pseudonymKey
        clock = services.clock
        observe = services.observe
    }

    /// Queries the watched backend for the subscriber of credentials. The caller resolves the returned value with
    /// the serving backend's result.
    ///
    /// - Returns: `nil` if there is nothing to compare.
    func authenticate(_ credentials: Credentials, _ context: CallContext) -> PendingResult<AuthenticationResult>? {
        guard isChosen(credentials.identifier), backend.accepts(credentials.kind) else { return nil }
        return alongside { [self] in
            try await backend.authenticate(credentials, context: context).value
        } compare: { [self] served, watched in
            var subscriberReference: SubscriberPseudonym?
            if case .authenticated(let theirs) = watched { subscriberReference = pseudonymKey.reference(to: theirs) }
            if case .authenticated(let ours) = served {
                let reference = pseudonymKey.reference(to: ours)
                subscriberReference = reference
                if case .authenticated(let theirs) = watched {
                    state.withLock { $0.counterparts.insert(theirs, for: reference) }
                }
            }
            report(ShadowComparison.of(served, watched), about: subscriberReference)
        }
    }

    func subscription(of subscriber: Subscriber, _ context: CallContext) -> PendingResult<Subscription>? {
        guard let (subscriberReference, theirs) = counterpart(of: subscriber) else { return nil }
        return alongside { [self] in
            try await backend.subscription(of: theirs, context: context).value
        } compare: { [self] served, watched in
            report(ShadowComparison.of(served, watched), about: subscriberReference)
        }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, _ context: CallContext
    ) -> PendingResult<EditionVerdict?>? {
        guard let (subscriberReference, theirs) = counterpart(of: subscriber) else { return nil }
        return alongside { [self] in
            try await backend.verdict(on: edition, for: theirs, context: context).value
        } compare: { [self] served, watched in
            report(ShadowComparison.of(served, watched), about: subscriberReference)
        }
    }

    /// Ends the session that a comparison opened in the watched system.
    func signOut(_ subscriber: Subscriber, _ context: CallContext) {
        guard let (_, theirs) = counterpart(of: subscriber), enter() else { return }
        Task { [self] in
            try? await backend.signOut(theirs, context: context)
            leave()
        }
    }

    private func alongside<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        compare: @escaping @Sendable (Value, Value) -> Void
    ) -> PendingResult<Value>? {
        guard enter() else {
            count("shadow_dropped")
            return nil
        }
        let served = PendingResult<Value>()
        Task { [self] in
            defer { leave() }
            do {
                let watched = try await operation()
                // A failed query to the serving backend leaves nothing to compare.
                if let served = await served.value() { compare(served, watched) }
            } catch {
                count("shadow_unavailable")
            }
        }
        return served
    }

    private func counterpart(of subscriber: Subscriber) -> (SubscriberPseudonym, Subscriber)? {
        let subscriberReference = pseudonymKey.reference(to: subscriber)
        return state.withLock { $0.counterparts[subscriberReference] }.map { (subscriberReference, $0) }
    }

    /// Returns whether a reader is selected. The selection uses a keyed digest, so that it is the same every time.
    func isChosen(_ identifier: String) -> Bool {
        if share >= 100 { return true }
        let digest = pseudonymKey.digest("shadow", [shadow, identifier])
        return (Int(digest[0]) << 16 | Int(digest[1]) << 8 | Int(digest[2])) % 100 < share
    }

    private func enter() -> Bool {
        state.withLock { state in
            guard state.present < maxConcurrent else { return false }
            state.present += 1
            return true
        }
    }

    private func leave() {
        state.withLock { $0.present -= 1 }
    }

    private func report(_ findings: [ShadowComparison.Finding], about subscriberReference: SubscriberPseudonym?) {
        for finding in findings {
            guard let details = finding.details, detailLimiter.admits(at: clock.elapsed) else {
                count(finding.event)
                continue
            }
            count(finding.event, detail: "subscriber \(subscriberReference.map { "\($0)" } ?? "-"): \(details)")
        }
    }

    private func count(_ event: String, detail: String? = nil) {
        observe(BackendEvent(backend: shadow, name: event, detail: detail))
    }
}
