public import Gatefold
package import Primitives

/// A backend with its protections. They shield readers from a failing backend, and the backend from excessive load.
///
/// Each protection has its own file. Only `send(_:_:)` combines them.
public final class ProtectedBackend: SubscriberBackend {
    private let backend: any SubscriberBackend
    public let varyingFields: Set<String>
    private let decidesEditions: Bool
    let settings: ProtectionSettings
    let services: ProtectionServices
    let keys: BackendQueryKeys
    let cache: BackendResultCache
    let coalescing = Coalescing()
    let breaker: CircuitBreaker
    let limit: ConcurrencyLimit
    private let deadline: Deadline
    let healthTracker: HealthTracker

    public var name: String { backend.name }

    /// Creates a protected backend.
    ///
    /// - Parameters:
    ///   - backend: The subscriber backend.
    ///   - varyingFields: See `BackendKind.varyingFields`.
    ///   - decidesEditions: See `BackendKind.decidesEditions`.
    ///   - settings: The settings of the protections.
    ///   - services: The services that all backends share.
    public convenience init(
        _ backend: any SubscriberBackend, varyingFields: Set<String> = [], decidesEditions: Bool = true,
        settings: ProtectionSettings = ProtectionSettings(), services: ProtectionServices
    ) {
        self.init(
            backend, varyingFields: varyingFields, decidesEditions: decidesEditions, settings: settings,
            services: services, sleep: { try await Task.sleep(for: .seconds($0)) })
    }

    package init(
        _ backend: any SubscriberBackend, varyingFields: Set<String>, decidesEditions: Bool,
        settings: ProtectionSettings, services: ProtectionServices, sleep: @escaping Sleep
    ) {
        self.backend = backend
        self.varyingFields = varyingFields
        self.decidesEditions = decidesEditions
        self.settings = settings
        self.services = services
        keys = BackendQueryKeys(
            secret: services.pseudonymKey.digest("questions", [backend.name]), backend: backend.name)
        cache = BackendResultCache(
            settings.cache, maxQueryDuration: settings.deadline + settings.concurrency.queueTimeout + 1,
            clock: services.clock, random: services.random)
        breaker = CircuitBreaker(settings.breaker, clock: services.clock, random: services.random) { change in
            services.observe(BackendEvent(change, of: backend.name))
        }
        limit = ConcurrencyLimit(settings.concurrency, sleep: sleep)
        deadline = Deadline(seconds: settings.deadline, sleep: sleep)
        healthTracker = HealthTracker(clock: services.clock)
    }

    /// Sends a query through the protections, ordered from the reader to the backend.
    private func send(_ query: BackendQuery, _ context: CallContext) async throws -> BackendResult {
        let seen = reduced(context)
        let key = keys.key(of: query, seen)
        // Concurrent queries are shared even if their result is not cached.
        guard query.isCached else { return try await sendCoalesced(query, key, seen, .reader).result }
        let (result, isCached) = try await cache.result(key) { priority in
            try await self.sendCoalesced(query, key, seen, priority)
        }
        if isCached { recordRecall(query, result) }
        return result
    }

    private func sendCoalesced(
        _ query: BackendQuery, _ key: BackendQueryKey, _ context: CallContext, _ priority: Priority
    ) async throws -> TimestampedResult {
        try await coalescing.share(key, priority) { [self] in
            let timestamped = try await breaker.guarding { check in
                try await limit.enter(priority, checkStillNeeded: check)
                return try await healthTracker.tracking {
                    try await deadline.bound({ try await self.put(query, context) }, ended: limit.leave)
                }
            }
            // The result is stored before the waiting callers receive it, so that the next caller finds it.
            if query.isCached {
                let subject = subject(key, query, timestamped.result)
                cache.store(timestamped, subject)
                share(timestamped, subject)
            }
            return timestamped
        }
    }

    private func put(_ query: BackendQuery, _ context: CallContext) async throws -> TimestampedResult {
        let queried = cache.timestamp()
        let start = ContinuousClock.now
        do {
            let result = try await query.put(to: backend, context)
            services.observe(BackendEvent(query, .succeeded, in: ContinuousClock.now - start, of: name))
            return TimestampedResult(result: result, queried: queried)
        } catch {
            let outcome: BackendEvent.QueryRecord.Outcome =
                switch error {
                case is CancellationError: .cancelled
                case is RawHTTPResponse: .succeeded
                default: .failed
                }
            services.observe(BackendEvent(query, outcome, in: ContinuousClock.now - start, of: name))
            throw error
        }
    }

    /// Returns the context with only the fields that the backend's results depend on. Callers that agree in these
    /// fields may share a result.
    private func reduced(_ context: CallContext) -> CallContext {
        CallContext(fields: varyingFields.isEmpty ? [:] : context.fields.filter { varyingFields.contains($0.key) })
    }

    private func subject(_ key: BackendQueryKey, _ query: BackendQuery, _ result: BackendResult)
        -> BackendResultStore.Subject
    {
        var groups: [BackendResultStore.Group] = []
        var proofs: UInt64?
        if case .authenticate(let credentials) = query {
            groups.append(.identifier(keys.identifier(credentials.identifier)))
            proofs = credentials.kind == .typed ? keys.proofs(of: credentials) : nil
        }
        if case .authentication(.authenticated(let subscriber)) = result {
            groups.append(group(of: subscriber))
        } else if let subscriber = query.subscriber {
            groups.append(group(of: subscriber))
        }
        var subject = BackendResultStore.Subject(key: key, groups: groups, proofs: proofs)
        if case .verdict(let edition, _) = query { subject.edition = edition }
        return subject
    }

    func group(of subscriber: Subscriber) -> BackendResultStore.Group {
        Self.group(services.pseudonymKey.reference(to: subscriber))
    }

    static func group(_ reference: SubscriberPseudonym) -> BackendResultStore.Group {
        .subscriber(reference.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

// MARK: - The questions

extension ProtectedBackend {
    public func accepts(_ kind: Credentials.Kind) -> Bool { backend.accepts(kind) }

    public func authenticate(_ credentials: Credentials, context: CallContext) async throws -> AuthenticationResult {
        guard case .authentication(let result) = try await send(.authenticate(credentials), context) else {
            throw UnexpectedResultKind()
        }
        return result
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Subscription {
        guard case .subscription(let result) = try await send(.subscription(subscriber), context) else {
            throw UnexpectedResultKind()
        }
        return result
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> EditionVerdict? {
        guard decidesEditions else { return nil }
        guard case .verdict(let result) = try await send(.verdict(edition, subscriber), context) else {
            throw UnexpectedResultKind()
        }
        return result
    }

    /// Renews a session without the cache. If the backend does not confirm the same subscriber, the subscriber's
    /// cached results are removed.
    public func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        guard case .authentication(let result) = try await send(.renew(subscriber), context) else {
            throw UnexpectedResultKind()
        }
        if result != .authenticated(subscriber) { cache.invalidate(group(of: subscriber)) }
        return result
    }

    public func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        _ = try await send(.signOut(subscriber), context)
        cache.invalidate(group(of: subscriber))
    }

    public var registry: (any SubscriberRegistry)? {
        backend.registry.map { ProtectedRegistry($0) { self.flush($0) } }
    }

    public func grantsFeed(to subscriber: Subscriber) -> Bool { backend.grantsFeed(to: subscriber) }

    /// Checks the circuit breaker and the last query. If neither is conclusive, the backend is queried, at most
    /// every few seconds. This also happens if the breaker would permit a trial query but no reader sends one.
    public func health() async throws {
        guard breaker.status.breakerState != .open else { throw ProtectionError.breakerOpen }
        switch healthTracker.hasFailedRecently {
        case false?: return
        case true?: throw ProtectionError.failedRecently
        case nil:
            // The query bypasses the breaker because a backend whose health check is meaningless must not close it.
            let context = CallContext()
            _ = try await coalescing.share(keys.key(of: .health, context), .reader) { [self] in
                try await limit.enter(.reader)
                return try await healthTracker.tracking {
                    try await deadline.bound({ try await self.put(.health, context) }, ended: limit.leave)
                }
            }
        }
    }

    /// An error for a result of the wrong kind. It cannot occur, but if it did, it would not count as a rejection.
    private struct UnexpectedResultKind: Error {}
}
