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

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        try await serves.renew(subscriber, context: context)
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { serves.grantsFeed(to: subscriber) }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        monitor.signOut(subscriber, context)
        try await serves.signOut(subscriber, context: context)
    }
}
