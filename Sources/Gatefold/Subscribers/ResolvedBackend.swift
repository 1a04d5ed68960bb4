/// A backend with its capabilities, which are looked up once, because a lookup for each request is slow.
///
/// For a capability that the backend lacks, it has a default.
public final class ResolvedBackend: Sendable {
    public let name: String
    /// The request fields that influence the results of the backend. Default: none.
    public let varyingFields: Set<String>
    private let backend: any SubscriberBackend
    private let composite: (any CompositeBackend)?
    private let selecting: (any CredentialSelectingBackend)?
    private let deciding: (any EditionDecidingBackend)?
    private let granting: (any FeedGrantingBackend)?
    private let finding: (any LookupBackend)?
    private let renewing: (any RenewingBackend)?
    private let selfService: (any SelfServiceBackend)?
    private let signingOut: (any SigningOutBackend)?

    public init(_ backend: any SubscriberBackend) {
        name = backend.name
        varyingFields = (backend as? any VaryingBackend)?.varyingFields ?? []
        self.backend = backend
        composite = backend as? any CompositeBackend
        selecting = backend as? any CredentialSelectingBackend
        deciding = backend as? any EditionDecidingBackend
        granting = backend as? any FeedGrantingBackend
        finding = backend as? any LookupBackend
        renewing = backend as? any RenewingBackend
        selfService = backend as? any SelfServiceBackend
        signingOut = backend as? any SigningOutBackend
    }

    /// A Boolean value that indicates whether the backend has decisions of its own on editions.
    public var decidesEditions: Bool { deciding != nil }

    public func authenticate(
        _ credentials: Credentials, context: CallContext
    ) async throws -> Fetched<AuthenticationResult> {
        try await backend.authenticate(credentials, context: context)
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try await backend.subscription(of: subscriber, context: context)
    }

    public func health() async throws { try await backend.health() }

    /// Returns whether the backend handles subscribers of the named backend. Default: its own only.
    public func handles(_ backend: String) -> Bool { composite?.handles(backend) ?? (backend == name) }

    /// Returns whether the backend accepts credentials of this type. Default: typed credentials only.
    public func accepts(_ kind: Credentials.Kind) -> Bool { selecting?.accepts(kind) ?? (kind == .typed) }

    /// Returns the backend's decision on an edition. Default: nil, so that the subscription decides.
    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard let deciding else { return Fetched(nil) }
        return try await deciding.verdict(on: edition, for: subscriber, context: context)
    }

    /// A Boolean value that indicates whether the backend finds subscribers by their sign-in identifier.
    public var supportsLookup: Bool { finding?.supportsLookup ?? false }

    /// Returns the subscribers with a sign-in identifier. Default: the backend is reported as one that cannot find them.
    public func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        guard let finding, finding.supportsLookup else { return Fetched(ReaderLookup(unsupported: [name])) }
        return try await finding.lookUp(credentials, context: context)
    }

    /// Renews the session of a subscriber. Default: renewed unless the subscription has the state `unknown`.
    public func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        if let renewing { return try await renewing.renew(subscriber, context: context) }
        let subscription = try await backend.subscription(of: subscriber, context: context).value
        return subscription.state == .unknown ? .rejected(message: subscription.message) : .authenticated(subscriber)
    }

    /// Ends the backend's session. Default: there is none.
    public func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        try await signingOut?.signOut(subscriber, context: context)
    }

    /// Returns whether the subscriber lacks the session that the backend opens at sign-in. Default: false, because there is
    /// no such session.
    public func lacksSession(_ subscriber: Subscriber) -> Bool { signingOut?.lacksSession(subscriber) ?? false }

    /// Returns whether the subscriber gets the password of the feed. Default: true.
    public func grantsFeed(to subscriber: Subscriber) -> Bool { granting?.grantsFeed(to: subscriber) ?? true }

    /// The registry in which readers register. Default: nil, because another system does that.
    public var registry: (any SubscriberRegistry)? { selfService?.registry }
}
