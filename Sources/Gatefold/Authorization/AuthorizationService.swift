import Foundation
public import Primitives

/// The four calls and sign-out of one publication, for every front door.
///
/// The proxy does no I/O of its own: it queries a backend, a state store and a login throttle, and decides.
public final class AuthorizationService: Sendable {
    public let publication: Publication
    package let backend: ResolvedBackend
    let tokens: any TokenCodec
    let credentials: EditionCredentialsIssuer
    let feedSecret: Secret
    package let state: any SessionStore
    package let revocations: RevocationList
    let revocationAgeLimit: RevocationAgeLimit?
    package let loginThrottle: any LoginThrottling
    let sessions: SessionLimiter?
    package let pseudonymKey: PseudonymKey
    package let clock: WallClock
    package let random: RandomSource
    let retryAfter: Int
    package let rejectionJitter: RejectionJitter
    package let observe: @Sendable (AuthorizationEvent) -> Void
    /// Receives every refused call.
    let reportRefusal: @Sendable (Refusal) -> Void
    /// Receives what happens to readers; nil for none.
    package let timeline: TimelineRecorder?
    let denials: DenialCache
    let cachedSignIns: CachedSignInSessions
    let uses: DeviceUseThrottle
    /// The readers' own purchases, or nil if the publication sells in no store.
    public let purchaseSource: (any PurchaseSource)?

    /// - Parameters:
    ///   - publication: The publication that the service decides for.
    ///   - backend: The subscriber backend.
    ///   - tokens: The codec of tokens.
    ///   - editionSecrets: The secret ring, shared with the gate that checks downloads.
    ///   - state: The store of sessions and revocations.
    ///   - revocations: The publication's revocations.
    ///   - revocationAgeLimit: The limit of their age, or nil for no limit.
    ///   - loginThrottle: The throttle of login attempts.
    ///   - sessions: The limiter for the sessions that a subscriber opens, or nil for no limit.
    ///   - pseudonymKey: The key of pseudonyms and digests.
    ///   - denials: The cache of denials for outages, shared by all proxies of the process.
    ///   - cachedSignIns: The record of sessions that a cached sign-in opened, shared by all proxies of the process.
    ///   - clock: The source of the current time.
    ///   - random: The source of randomness.
    ///   - rejectionJitter: The delay before a rejection of credentials.
    ///   - purchases: The readers' purchases in the app stores, or nil if the publication sells in none.
    ///   - retryAfter: The number of whole seconds an app should wait after a failed backend query. Default: 30 s.
    ///   - observe: A closure that receives events. It must return immediately.
    ///   - report: A closure that receives refused calls. It must return immediately.
    public init(
        publication: Publication, backend: any SubscriberBackend, tokens: any TokenCodec, editionSecrets: SecretRing,
        state: any SessionStore, revocations: RevocationList, revocationAgeLimit: RevocationAgeLimit? = nil,
        loginThrottle: any LoginThrottling,
        sessions: SessionLimiter? = nil, pseudonymKey: PseudonymKey, denials: DenialCache = DenialCache(),
        cachedSignIns: CachedSignInSessions = CachedSignInSessions(), clock: WallClock = .system,
        random: RandomSource = .system, rejectionJitter: RejectionJitter = .none,
        purchases: (any PurchaseSource)? = nil,
        retryAfter: Int = 30,
        observe: @escaping @Sendable (AuthorizationEvent) -> Void = { _ in },
        report: @escaping @Sendable (Refusal) -> Void = { _ in }
    ) {
        self.publication = publication
        self.backend = ResolvedBackend(backend)
        self.tokens = tokens
        credentials = EditionCredentialsIssuer(
            publication: publication.id, secrets: editionSecrets, form: publication.saltFormat, random: random)
        feedSecret = editionSecrets.current
        self.state = state
        self.revocations = revocations
        self.revocationAgeLimit = revocationAgeLimit
        self.loginThrottle = loginThrottle
        self.sessions = sessions
        self.pseudonymKey = pseudonymKey
        self.clock = clock
        self.random = random
        self.retryAfter = retryAfter
        self.rejectionJitter = rejectionJitter
        self.observe = observe
        reportRefusal = report
        timeline = nil
        self.denials = denials
        self.cachedSignIns = cachedSignIns
        uses = DeviceUseThrottle()
        purchaseSource = purchases
    }

    /// Creates a service that decides as another one does. What is nil is as in the other one.
    private init(
        _ other: AuthorizationService, tokens: (any TokenCodec)? = nil, timeline: TimelineRecorder?,
        rejectionJitter: RejectionJitter? = nil, observe: (@Sendable (AuthorizationEvent) -> Void)? = nil,
        report: (@Sendable (Refusal) -> Void)? = nil
    ) {
        publication = other.publication
        backend = other.backend
        self.tokens = tokens ?? other.tokens
        credentials = other.credentials
        feedSecret = other.feedSecret
        state = other.state
        revocations = other.revocations
        revocationAgeLimit = other.revocationAgeLimit
        loginThrottle = other.loginThrottle
        sessions = other.sessions
        pseudonymKey = other.pseudonymKey
        clock = other.clock
        random = other.random
        retryAfter = other.retryAfter
        self.rejectionJitter = rejectionJitter ?? other.rejectionJitter
        self.observe = observe ?? other.observe
        reportRefusal = report ?? other.reportRefusal
        self.timeline = timeline
        denials = other.denials
        cachedSignIns = other.cachedSignIns
        uses = other.uses
        purchaseSource = other.purchaseSource
    }

    /// Returns the same service with sessions in another format.
    public func with(tokens: any TokenCodec) -> AuthorizationService {
        AuthorizationService(self, tokens: tokens, timeline: timeline)
    }

    /// Returns the same service, which records what happens to readers.
    package func recording(in timeline: TimelineRecorder?) -> AuthorizationService {
        AuthorizationService(self, timeline: timeline)
    }

    /// Returns the same service, which delays no rejection, and reports and records nothing.
    func silent() -> AuthorizationService {
        AuthorizationService(
            self, timeline: nil, rejectionJitter: RejectionJitter.none, observe: { _ in }, report: { _ in })
    }

    package func message(_ key: MessageKey, _ context: CallContext) -> String? {
        publication.messages.text(key, for: context.languages)
    }

    package func notes(_ lines: @autoclosure () -> [String]) -> [String] {
        publication.hasDebugNotes ? lines() : []
    }

    /// Queries the backend. An error of the backend means that it was unavailable, except for a response that a test
    /// backend dictates or a cancellation.
    package func queryBackend<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let scripted as ScriptedResponse {
            throw scripted
        } catch let error as CancellationError where Task.isCancelled {
            // The client disconnected, which says nothing about the backend.
            throw error
        } catch {
            // Only the type is logged, because an error's text may quote reader input.
            let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
            observe(.backendFailed(backend: backend.name, cause: cause))
            throw Unavailable(.backendUnavailable, retryAfter: retryAfter, cause: cause)
        }
    }

    package func withStore<Value: Sendable>(_ change: () async throws -> Value) async throws -> Value {
        do {
            return try await change()
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            let cause = String(describing: type(of: error))
            observe(.stateStoreFailed(cause: cause))
            throw Unavailable(.stateUnavailable, retryAfter: retryAfter, cause: cause)
        }
    }

    /// Returns the current state of a token.
    package func read(_ token: String) -> TokenReadResult {
        // A token of a system that this publication no longer queries is unreadable, because the same key
        // identifies another person in another system. Source: Pitfall 7, “A cache key that is too small”.
        guard let session = tokens.open(token), backend.handles(session.subscriber.backend) else {
            return .unreadable
        }
        let authenticated = AuthenticatedSession(
            session: session, reference: pseudonymKey.reference(to: session.subscriber))
        if revocations.isRevoked(authenticated.subject) { return .revoked(authenticated.reference) }
        // The token may have been revoked, and the revocation is already discarded.
        if revocations.hasPruned(session.expiresAt) { return .expired(authenticated.reference) }
        let now = clock.now
        if now < session.expiresAt { return .good(authenticated) }
        return now < session.expiresAt.addingTimeInterval(publication.lifetimes.renewalWindow)
            ? .renewable(authenticated) : .expired(authenticated.reference)
    }

    func denialKey(of authenticated: AuthenticatedSession, edition: EditionID? = nil, _ context: CallContext)
        -> DenialCache.Key
    {
        let queried = DenialCache.QueriedFields(backend: backend.name, fields: digest(of: context))
        if let edition { return .edition(edition, authenticated.reference, publication.id, queried) }
        return .reader(authenticated.reference, queried)
    }

    /// Returns a digest of the request fields that influence the backend's results, empty if there are none.
    private func digest(of context: CallContext) -> [UInt8] {
        let names = backend.varyingFields
        if names.isEmpty { return [] }
        let deciding = context.fields.filter { names.contains($0.key) }.sorted { $0.key < $1.key }
        return deciding.isEmpty
            ? [] : pseudonymKey.digest("deciding fields", deciding.flatMap { [$0.key, $0.value] })
    }

    package func subject(of session: Session) -> SaltSubject {
        AuthenticatedSession(session: session, reference: pseudonymKey.reference(to: session.subscriber)).subject
    }
}

package enum TokenReadResult {
    case good(AuthenticatedSession)
    /// An expired token within the renewal window.
    case renewable(AuthenticatedSession)
    /// An expired token that cannot be renewed.
    case expired(SubscriberPseudonym)
    case revoked(SubscriberPseudonym)
    case unreadable
}
