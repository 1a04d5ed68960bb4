import Foundation

/// The four questions and sign-out of one publication, for every front door.
///
/// Does no I/O of its own: it asks a backend, a state store and a guess limiter, and decides.
public final class PublicationProxy: Sendable {
    public let publication: Publication
    let backend: any SubscriberBackend
    let tokens: any TokenCodec
    let credentials: EditionCredentialsIssuer
    let feedSecret: Secret
    let state: any SessionStore
    let revocations: RevocationList
    let guesses: any GuessLimiting
    let sessions: SessionLimiter?
    let references: ReferenceKey
    let clock: WallClock
    let random: RandomSource
    let retryAfter: Int
    let hesitation: Hesitation
    let observe: @Sendable (ProxyEvent) -> Void
    let denials: DenialCache
    let recalled: RecalledSessions
    let uses: DeviceUses
    /// Where readers' own purchases are; nil where the publication sells in no store.
    public let purchases: PurchaseDesk?

    /// - Parameters:
    ///   - sessions: limits how many a subscriber opens; nil for no limit.
    ///   - editionSecrets: the ring shared with whoever checks downloads.
    ///   - denials: knows denials in outages; shared by all proxies of the process.
    ///   - recalled: knows the sessions that were opened from memory; shared by all proxies of the process.
    ///   - hesitation: before a refusal of credentials.
    ///   - purchases: what readers bought in the app stores; nil where the publication sells in none.
    ///   - retryAfter: whole seconds an app is told to wait when the backend could not be asked.
    ///   - observe: told what happened; must return at once.
    public init(
        publication: Publication, backend: any SubscriberBackend, tokens: any TokenCodec, editionSecrets: SecretRing,
        state: any SessionStore, revocations: RevocationList, guesses: any GuessLimiting,
        sessions: SessionLimiter? = nil, references: ReferenceKey, denials: DenialCache = DenialCache(),
        recalled: RecalledSessions = RecalledSessions(), clock: WallClock = .system,
        random: RandomSource = .system, hesitation: Hesitation = .none, purchases: PurchaseDesk? = nil,
        retryAfter: Int = 30,
        observe: @escaping @Sendable (ProxyEvent) -> Void = { _ in }
    ) {
        self.publication = publication
        self.backend = backend
        self.tokens = tokens
        credentials = EditionCredentialsIssuer(
            publication: publication.id, secrets: editionSecrets, form: publication.saltForm, random: random)
        feedSecret = editionSecrets.current
        self.state = state
        self.revocations = revocations
        self.guesses = guesses
        self.sessions = sessions
        self.references = references
        self.clock = clock
        self.random = random
        self.retryAfter = retryAfter
        self.hesitation = hesitation
        self.observe = observe
        self.denials = denials
        self.recalled = recalled
        uses = DeviceUses()
        self.purchases = purchases
    }

    /// The same publication as another's, for sessions in another form.
    init(_ other: PublicationProxy, tokens: any TokenCodec) {
        publication = other.publication
        backend = other.backend
        self.tokens = tokens
        credentials = other.credentials
        feedSecret = other.feedSecret
        state = other.state
        revocations = other.revocations
        guesses = other.guesses
        sessions = other.sessions
        references = other.references
        clock = other.clock
        random = other.random
        retryAfter = other.retryAfter
        hesitation = other.hesitation
        observe = other.observe
        denials = other.denials
        recalled = other.recalled
        uses = other.uses
        purchases = other.purchases
    }

    func message(_ key: MessageKey, _ inquiry: Inquiry) -> String? {
        publication.messages.text(key, for: inquiry.languages)
    }

    func comments(_ lines: @autoclosure () -> [String]) -> [String] {
        publication.hasDebugComments ? lines() : []
    }

    /// Asks the backend; whatever it throws means that it could not be asked.
    func ask<Answer: Sendable>(_ question: () async throws -> Answer) async throws -> Answer {
        do {
            return try await question()
        } catch let verbatim as VerbatimAnswer {
            throw verbatim
        } catch let error as CancellationError where Task.isCancelled {
            // The client is gone: that says nothing about the backend.
            throw error
        } catch {
            // The type alone: an error's text may quote what the reader typed.
            let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
            observe(.backendFailed(backend: backend.name, cause: cause))
            throw Unavailable(retryAfter: retryAfter, cause: cause)
        }
    }

    func keep<Answer: Sendable>(_ change: () async throws -> Answer) async throws -> Answer {
        do {
            return try await change()
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            let cause = String(describing: type(of: error))
            observe(.stateStoreFailed(cause: cause))
            throw Unavailable(retryAfter: retryAfter, cause: cause)
        }
    }

    /// What a token says at this moment.
    func read(_ token: String) -> TokenReading {
        // A token of a system that this publication no longer asks: another system's keys are other people (PITFALLS row 7).
        guard let session = tokens.open(token), backend.answersFor(session.subscriber.backend) else {
            return .unreadable
        }
        let who = SessionHolder(session: session, reference: references.reference(to: session.subscriber))
        if revocations.isRevoked(who.holder) { return .revoked }
        // It may have been revoked, and nobody remembers it.
        if revocations.hasForgotten(session.expiresAt) { return .expired }
        let now = clock.now
        if now < session.expiresAt { return .good(who) }
        return now < session.expiresAt.addingTimeInterval(publication.lifetimes.renewalWindow)
            ? .renewable(who) : .expired
    }

    func memory(of who: SessionHolder, edition: EditionID? = nil, _ inquiry: Inquiry) -> DenialCache.Key {
        let names = backend.decidingFields
        let deciding = names.isEmpty ? [] : inquiry.fields.filter { names.contains($0.key) }.sorted { $0.key < $1.key }
        let asked = DenialCache.Asked(
            backend: backend.name,
            fields: deciding.isEmpty
                ? [] : references.digest("deciding fields", deciding.flatMap { [$0.key, $0.value] }))
        if let edition { return .edition(edition, who.reference, publication.id, asked) }
        return .reader(who.reference, asked)
    }

    func holder(of session: Session) -> SaltHolder {
        SessionHolder(session: session, reference: references.reference(to: session.subscriber)).holder
    }
}

/// A backend's error that has words for the log: they hold no secret and nothing a reader typed.
public protocol BackendFailure: Error {
    var cause: String { get }
}

enum TokenReading {
    case good(SessionHolder)
    /// Expired, inside the renewal window.
    case renewable(SessionHolder)
    /// Expired for good.
    case expired
    case revoked
    case unreadable
}
