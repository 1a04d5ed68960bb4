public import Gatefold
package import Primitives

/// A backend with its protections. They shield readers from a failing backend, and the backend from excessive load.
///
/// Each protection has its own file. Only `fetch(_:_:)` and `send(_:_:)` combine them.
public final class ProtectedBackend: WrappingBackend {
    public let wrapped: ResolvedBackend
    /// The backend without its protections.
    package let unprotected: any SubscriberBackend
    public let varyingFields: Set<String>
    private let decidesEditions: Bool
    let settings: ProtectionSettings
    let services: ProtectionServices
    let scope: CacheScope
    let cache: BackendResultCache
    let inFlight = InFlightQueries()
    let breaker: CircuitBreaker
    let limit: ConcurrencyLimit
    /// The turns of lookups, one at a time, so that operators take at most one slot from the readers.
    private let lookupTurns: ConcurrencyLimit
    private let deadline: Deadline
    let healthTracker: HealthTracker

    public var name: String { wrapped.name }

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
        wrapped = ResolvedBackend(backend)
        unprotected = backend
        self.varyingFields = varyingFields
        self.decidesEditions = decidesEditions && wrapped.decidesEditions
        self.settings = settings
        self.services = services
        scope = CacheScope(backend: backend.name, pseudonymKey: services.pseudonymKey)
        cache = BackendResultCache(
            settings.cache, maxQueryDuration: settings.deadline + settings.concurrency.queueTimeout + 1,
            clock: services.clock, random: services.random)
        breaker = CircuitBreaker(settings.breaker, clock: services.clock, random: services.random) { change in
            services.observe(BackendEvent(change, of: backend.name))
        }
        limit = ConcurrencyLimit(settings.concurrency, slots: services.slots(of: backend.name), sleep: sleep)
        var turns = settings.concurrency
        turns.maxConcurrent = 1
        lookupTurns = ConcurrencyLimit(turns, sleep: sleep)
        deadline = Deadline(seconds: settings.deadline, sleep: sleep)
        healthTracker = HealthTracker(clock: services.clock)
    }

    /// Returns the result of a query from the cache, or from the backend through the protections.
    ///
    /// A result from the cache is returned without a suspension.
    private func fetch<Query: CacheableQuery>(
        _ query: Query, _ context: CallContext
    ) async throws -> Fetched<Query.Result> {
        let fields = relevantFields(of: context)
        let key = scope.keys.key(of: query, fields)
        switch cache.find(key) {
        case .fresh(let stored):
            if let result = Query.result(stored) { return Fetched(result, .cached) }
        case .revalidating(let stored, let isDue):
            if isDue { refresh(query, key, fields) }
            if let result = Query.result(stored) { return Fetched(result, .cached) }
        case .missing: break
        }
        do {
            return Fetched(try await sendAndStore(query, key, fields, .reader))
        } catch {
            guard FailureClassification.isNotQueried(error), let stored = cache.lastKnownGood(key),
                let result = Query.result(stored)
            else { throw error }
            return Fetched(result, .stale)
        }
    }

    /// Queries the backend in the background. A failure does not concern the reader, because the cached result is
    /// still valid.
    private func refresh<Query: CacheableQuery>(_ query: Query, _ key: BackendQueryKey, _ fields: [String: String]) {
        Task { _ = try? await self.sendAndStore(query, key, fields, .background) }
    }

    private func sendAndStore<Query: CacheableQuery>(
        _ query: Query, _ key: BackendQueryKey, _ fields: [String: String], _ priority: Priority
    ) async throws -> Query.Result {
        try await sendShared(query, key, fields, priority) { [self] timestamped in
            let stored = TimestampedResult(result: Query.stored(timestamped.result), queried: timestamped.queried)
            let subject = query.subject(key, of: timestamped.result, in: scope)
            cache.store(stored, subject)
            share(stored, subject)
        }
    }

    /// Sends a query whose result is not cached.
    private func send<Query: BackendQuery>(_ query: Query, _ context: CallContext) async throws -> Query.Result {
        let fields = relevantFields(of: context)
        return try await sendShared(query, scope.keys.key(of: query, fields), fields, .reader) { _ in }
    }

    /// Sends a query through the protections, ordered from the reader to the backend. Concurrent identical queries
    /// share one result.
    ///
    /// - Parameter received: Receives the result before the waiting callers do, so that the next caller finds it in
    ///   the cache.
    private func sendShared<Query: BackendQuery>(
        _ query: Query, _ key: BackendQueryKey, _ fields: [String: String], _ priority: Priority,
        received: @escaping @Sendable (TimestampedResult<Query.Result>) -> Void
    ) async throws -> Query.Result {
        let context = CallContext(fields: fields)
        return try await Query.inFlight(inFlight).share(InFlightQuery(query: key, priority: priority)) { [self] in
            let timestamped = try await breaker.guarding { check in
                try await limit.enter(priority, checkStillNeeded: check)
                return try await healthTracker.tracking(Query.kind) {
                    try await deadline.bound({ try await self.put(query, context) }, ended: limit.leave)
                }
            }
            received(timestamped)
            return timestamped.result
        }
    }

    private func put<Query: BackendQuery>(
        _ query: Query, _ context: CallContext
    ) async throws -> TimestampedResult<Query.Result> {
        let queried = cache.timestamp()
        let start = ContinuousClock.now
        do {
            let result = try await query.send(to: wrapped, context)
            services.observe(BackendEvent(Query.kind, .succeeded, in: ContinuousClock.now - start, of: name))
            return TimestampedResult(result: result, queried: queried)
        } catch {
            let outcome: BackendEvent.QueryRecord.Outcome =
                switch error {
                case is CancellationError: .cancelled
                case is ScriptedResponse: .succeeded
                default: .failed
                }
            services.observe(BackendEvent(Query.kind, outcome, in: ContinuousClock.now - start, of: name))
            throw error
        }
    }

    /// Returns only the request fields that the backend's results depend on. Callers that agree in these fields may
    /// share a result.
    private func relevantFields(of context: CallContext) -> [String: String] {
        varyingFields.isEmpty ? [:] : context.fields.filter { varyingFields.contains($0.key) }
    }
}

// MARK: - The queries

extension ProtectedBackend {
    public func authenticate(
        _ credentials: Credentials, context: CallContext
    ) async throws -> Fetched<AuthenticationResult> {
        let fetched = try await fetch(AuthenticationQuery(credentials: credentials), context)
        guard fetched.freshness > .live, case .authenticated(let subscriber) = fetched.value else { return fetched }
        return Fetched(
            fetched.value, fetched.freshness, cachedSignIns: [cachedSignIn(of: credentials, as: subscriber)])
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try await fetch(SubscriptionQuery(subscriber: subscriber), context)
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard decidesEditions else { return Fetched(nil) }
        return try await fetch(VerdictQuery(edition: edition, subscriber: subscriber), context)
    }

    /// Looks up a reader for an operator, without the cache. An open breaker and a full limit reject the lookup, but a
    /// lookup opens no breaker and says nothing about the health of the backend: an operator must not cause an outage.
    public func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        // A backend that cannot look up must not count as one that responded.
        guard wrapped.supportsLookup else { return Fetched(ReaderLookup(unsupported: [name])) }
        guard breaker.status.breakerState != .open else { throw ProtectionError.breakerOpen }
        let query = LookupQuery(credentials: credentials)
        let fields = relevantFields(of: context)
        let shared = InFlightQuery(query: scope.keys.key(of: query, fields), priority: .background)
        return Fetched(
            try await inFlight.lookups.share(shared) { [self] in
                try await lookupTurns.enter(.reader)
                do {
                    try await limit.enter(.background)
                } catch {
                    lookupTurns.leave()
                    throw error
                }
                return try await deadline.bound(
                    { try await self.put(query, CallContext(fields: fields)).result },
                    ended: { [limit, lookupTurns] in
                        limit.leave()
                        lookupTurns.leave()
                    })
            })
    }

    /// Renews a session without the cache. If the backend does not confirm the same subscriber, the subscriber's
    /// cached results are removed.
    public func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        let result = try await send(RenewalQuery(subscriber: subscriber), context)
        if result != .authenticated(subscriber) { cache.invalidate(scope.group(of: subscriber)) }
        return result
    }

    public func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        try await send(SignOutQuery(subscriber: subscriber), context)
        cache.invalidate(scope.group(of: subscriber))
    }

    public var registry: (any SubscriberRegistry)? {
        wrapped.registry.map { ProtectedRegistry($0) { self.flush($0) } }
    }

    /// Checks the circuit breaker and the last query. If neither is conclusive, the backend is queried, at most
    /// every few seconds. This also happens if the breaker would permit a trial query but no reader sends one.
    public func health() async throws {
        guard breaker.status.breakerState != .open else { throw ProtectionError.breakerOpen }
        switch healthTracker.hasFailedRecently {
        case false?: return
        case true?: throw ProtectionError.failedRecently
        case nil:
            // The query bypasses the breaker because a backend whose health check is meaningless must not close it.
            let query = HealthQuery()
            let shared = InFlightQuery(query: scope.keys.key(of: query, [:]), priority: .reader)
            try await inFlight.completions.share(shared) { [self] in
                try await limit.enter(.reader)
                return try await healthTracker.tracking(HealthQuery.kind) {
                    try await deadline.bound(
                        { try await self.put(query, CallContext()).result }, ended: limit.leave)
                }
            }
        }
    }
}
