import Gatefold

/// A backend that returns the results of one backend and sends the same queries to another for comparison.
///
/// The watched backend never changes, delays or fails a result. Its queries run concurrently up to a configured limit,
/// and readers and tokens are not affected.
struct ShadowBackend: SubscriberBackend {
    let name: String
    let serves: any SubscriberBackend
    let monitor: ShadowMonitor

    func handles(_ backend: String) -> Bool { backend == name || serves.handles(backend) }

    func accepts(_ kind: Credentials.Kind) -> Bool { serves.accepts(kind) }

    /// The registry of the serving backend. The watched backend receives no registrations.
    var registry: (any SubscriberRegistry)? { serves.registry }

    var varyingFields: Set<String> { serves.varyingFields }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> AuthenticationResult {
        let comparison = monitor.authenticate(credentials, context)
        do {
            let result = try await serves.authenticate(credentials, context: context)
            comparison?.resolve(result)
            return result
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Subscription {
        let comparison = monitor.subscription(of: subscriber, context)
        do {
            let result = try await serves.subscription(of: subscriber, context: context)
            comparison?.resolve(result)
            return result
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> EditionVerdict? {
        let comparison = monitor.verdict(on: edition, for: subscriber, context)
        do {
            let result = try await serves.verdict(on: edition, for: subscriber, context: context)
            comparison?.resolve(result)
            return result
        } catch {
            comparison?.resolve(nil)
            throw error
        }
    }

    func cachedSubscription(of subscriber: Subscriber, context: CallContext) -> Cached<Subscription>? {
        withoutComparison(subscriber) { serves.cachedSubscription(of: subscriber, context: context) }
    }

    func cachedVerdict(
        on edition: EditionID, for subscriber: Subscriber, context: CallContext
    ) -> Cached<CachedVerdict>? {
        withoutComparison(subscriber) { serves.cachedVerdict(on: edition, for: subscriber, context: context) }
    }

    /// Returns the serving backend's cached result for a reader who is not compared.
    ///
    /// Compared readers are compared at every verification and every edition. A cached result would prevent the
    /// comparison, so they have none. The result for other readers is valid until another reader becomes compared.
    private func withoutComparison<Value: Sendable>(
        _ subscriber: Subscriber, _ lookUp: () -> Cached<Value>?
    ) -> Cached<Value>? {
        let validity = monitor.validity
        guard !monitor.compares(subscriber), let known = lookUp() else { return nil }
        return Cached(known.value, validity: validity.joined(with: known.validity))
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        try await serves.renew(subscriber, context: context)
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { serves.grantsFeed(to: subscriber) }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        monitor.signOut(subscriber, context)
        try await serves.signOut(subscriber, context: context)
    }
}
