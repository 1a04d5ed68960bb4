import Gatefold

/// A backend that returns the results of one backend and sends the same queries to another for comparison.
///
/// The watched backend never changes, delays or fails a result. Its queries run concurrently up to a configured limit,
/// and readers and tokens are not affected. It receives no renewals and no registrations.
///
/// A shadow has no health check of its own because both backends report their health.
struct ShadowBackend: WrappingBackend {
    let name: String
    /// The serving backend.
    let wrapped: ResolvedBackend
    let monitor: ShadowMonitor

    func handles(_ backend: String) -> Bool { backend == name || wrapped.handles(backend) }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        try await compared(monitor.authenticate(credentials, context)) {
            try await wrapped.authenticate(credentials, context: context)
        }
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try await compared(monitor.subscription(of: subscriber, context)) {
            try await wrapped.subscription(of: subscriber, context: context)
        }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        try await compared(monitor.verdict(on: edition, for: subscriber, context)) {
            try await wrapped.verdict(on: edition, for: subscriber, context: context)
        }
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        monitor.signOut(subscriber, context)
        try await wrapped.signOut(subscriber, context: context)
    }

    /// Queries the serving backend, and hands its result to the comparison if there is one.
    private func compared<Value: Sendable>(
        _ comparison: PendingResult<Value>?, _ query: () async throws -> Fetched<Value>
    ) async throws -> Fetched<Value> {
        do {
            let result = try await query()
            comparison?.resolve(result.value)
            return result
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }
}
