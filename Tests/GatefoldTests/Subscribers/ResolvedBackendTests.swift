import Gatefold
import TestSupport
import Testing

@Suite("Capabilities of a backend")
struct ResolvedBackendTests {
    /// A backend with every capability, and results that differ from the defaults.
    private struct CapableBackend: CompositeBackend, CredentialSelectingBackend, EditionDecidingBackend,
        FeedGrantingBackend, RenewingBackend, SelfServiceBackend, SigningOutBackend, VaryingBackend
    {
        let name = "capable"
        let readers = InMemorySubscribers(name: "readers")
        let signedOut = Locked<[String]>([])

        func authenticate(
            _ credentials: Credentials, context: CallContext
        ) async throws -> Fetched<AuthenticationResult> { .rejected(message: nil) }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            Fetched(Subscription(state: .active), .stale)
        }

        func handles(_ backend: String) -> Bool { backend == "other" }
        func accepts(_ kind: Credentials.Kind) -> Bool { kind == .receipt }
        func verdict(
            on edition: EditionID?, for subscriber: Subscriber, context: CallContext
        ) async throws -> Fetched<EditionVerdict?> { Fetched(.granted, .cached) }
        func grantsFeed(to subscriber: Subscriber) -> Bool { false }
        func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
            .rejected(message: "no")
        }
        var registry: (any SubscriberRegistry)? { readers }
        func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
            signedOut.withLock { $0.append(subscriber.key) }
        }
        var varyingFields: Set<String> { ["brand"] }
    }

    private struct Wrapper: WrappingBackend {
        let wrapped: ResolvedBackend

        func authenticate(
            _ credentials: Credentials, context: CallContext
        ) async throws -> Fetched<AuthenticationResult> {
            try await wrapped.authenticate(credentials, context: context)
        }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            try await wrapped.subscription(of: subscriber, context: context)
        }
    }

    private let reader = Subscriber(backend: "scripted", key: "ada")

    @Test("A backend without a capability has its default", arguments: [false, true])
    func defaults(isWrapped: Bool) async throws {
        let scripted = ScriptedBackend()
        let backend = isWrapped ? Wrapper(wrapped: scripted.resolved).resolved : scripted.resolved
        #expect(backend.name == "scripted" && backend.varyingFields.isEmpty)
        #expect(backend.handles("scripted") && !backend.handles("other"))
        #expect(backend.accepts(.typed) && !backend.accepts(.receipt))
        #expect(backend.grantsFeed(to: reader) && backend.registry == nil)
        #expect(try await backend.verdict(on: .first, for: reader, context: CallContext()) == Fetched(nil))
        try await backend.signOut(reader, context: CallContext())
        try await backend.health()
        #expect(scripted.queries.isEmpty)
        // A token is renewed as long as the subscriber is known.
        #expect(try await backend.renew(reader, context: CallContext()) == .authenticated(reader))
        scripted.response(Subscription(state: .unknown, message: "gone"))
        #expect(try await backend.renew(reader, context: CallContext()) == .rejected(message: "gone"))
    }

    @Test("A wrapper has all capabilities of the backend that it wraps", arguments: [false, true])
    func capabilities(isWrapped: Bool) async throws {
        let capable = CapableBackend()
        let backend = isWrapped ? Wrapper(wrapped: capable.resolved).resolved : capable.resolved
        #expect(backend.name == "capable" && backend.varyingFields == ["brand"])
        #expect(backend.handles("other") && !backend.handles("capable"))
        #expect(!backend.accepts(.typed) && backend.accepts(.receipt))
        #expect(!backend.grantsFeed(to: reader) && backend.registry?.name == "readers")
        #expect(
            try await backend.verdict(on: .first, for: reader, context: CallContext()) == Fetched(.granted, .cached))
        #expect(try await backend.subscription(of: reader, context: CallContext()).freshness == .stale)
        #expect(try await backend.renew(reader, context: CallContext()) == .rejected(message: "no"))
        try await backend.signOut(reader, context: CallContext())
        #expect(capable.signedOut.withLock { $0 } == ["ada"])
    }
}
