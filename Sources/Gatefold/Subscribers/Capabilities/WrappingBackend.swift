/// A backend that does what another backend does, and has all its capabilities.
public protocol WrappingBackend: CompositeBackend, CredentialSelectingBackend, EditionDecidingBackend,
    FeedGrantingBackend, LookupBackend, RenewingBackend, SelfServiceBackend, SigningOutBackend, VaryingBackend
{
    var wrapped: ResolvedBackend { get }
}

extension WrappingBackend {
    public var name: String { wrapped.name }

    public func handles(_ backend: String) -> Bool { wrapped.handles(backend) }

    public func accepts(_ kind: Credentials.Kind) -> Bool { wrapped.accepts(kind) }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        try await wrapped.verdict(on: edition, for: subscriber, context: context)
    }

    public var supportsLookup: Bool { wrapped.supportsLookup }

    public func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        try await wrapped.lookUp(credentials, context: context)
    }

    public func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        try await wrapped.renew(subscriber, context: context)
    }

    public func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        try await wrapped.signOut(subscriber, context: context)
    }

    public func lacksSession(_ subscriber: Subscriber) -> Bool { wrapped.lacksSession(subscriber) }

    public func grantsFeed(to subscriber: Subscriber) -> Bool { wrapped.grantsFeed(to: subscriber) }

    public var registry: (any SubscriberRegistry)? { wrapped.registry }

    public var varyingFields: Set<String> { wrapped.varyingFields }
}
