import Foundation
import Primitives

extension AuthorizationService {
    /// Returns credentials for one edition, or the reason for a denial. A denial or an outage is never a transport
    /// error.
    ///
    /// Source: Design rules, “Edition credentials are always a document”.
    ///
    /// - Parameters:
    ///   - token: The token of the session.
    ///   - edition: The app's product identifier, unchanged. It is nil or blank if the app sent none.
    ///   - isInURL: A Boolean value that indicates whether the credentials travel in a URL. Such credentials are sealed
    ///     and live no longer than ``Lifetimes/downloadToken``.
    ///   - context: The context of the call.
    /// - Throws: Only the response that a test backend dictates, and errors of sealing.
    public func editionCredentials(
        token: String, edition: String?, inURL isInURL: Bool = false, _ context: CallContext
    ) async throws -> CredentialsResult {
        let reading = read(token)
        switch reading {
        case .unreadable, .revoked:
            return reject(.rejected, message(token.isEmpty ? .noToken : .tokenRejected, context), reading, of: token)
        case .expired, .renewable:
            return reject(.expired, message(.tokenExpired, context), reading, of: token)
        case .good(let authenticated):
            do {
                try checkRevocationAge()
            } catch {
                // A publication that fails open does so when its backend fails, not for a session that may have ended.
                return unavailable(error, authenticated, nil, context)
            }
            guard let named = edition, !named.allSatisfy(\.isWhitespace) else {
                return try await credentialsForNoEdition(authenticated, context)
            }
            guard let edition = EditionID(named) else {
                return reject(
                    .notEntitled, message(.unknownEdition, context) ?? message(.notEntitled, context),
                    refusal(.unknownEdition, .editionCredentials, of: authenticated.reference))
            }
            return try await credentials(for: edition, authenticated, inURL: isInURL, context)
        }
    }

    private func credentialsForNoEdition(
        _ authenticated: AuthenticatedSession, _ context: CallContext
    ) async throws -> CredentialsResult {
        let verdict: EditionVerdict?
        do {
            verdict = try await queryBackend {
                try await backend.verdict(on: nil, for: authenticated.session.subscriber, context: context).value
            }
        } catch is Unavailable {
            verdict = nil
        }
        let refusal = refusal(.editionMissing, .editionCredentials, of: authenticated.reference)
        switch verdict {
        case .granted: return .granted(credentials.issueForNoEdition(), headers: [], notes: [])
        // The request names no edition, so no subscription can open it.
        case .rejected(let reason, let text), .deferred(_, otherwise: let reason, message: let text):
            return reject(reason, text ?? message(.noEdition, context), refusal)
        case nil: return reject(.notEntitled, message(.noEdition, context), refusal)
        }
    }

    private func credentials(
        for edition: EditionID, _ authenticated: AuthenticatedSession, inURL isInURL: Bool, _ context: CallContext
    ) async throws -> CredentialsResult {
        let lifetimes = publication.lifetimes
        let maxLifetime = isInURL ? lifetimes.downloadToken : .infinity
        let denialKey = denialKey(of: authenticated, edition: edition, context)
        let outcome = try await outcome(
            on: edition, wasDenied: { denials.wasDenied(denialKey) },
            purchased: { try await purchased(by: pseudonymKey.owner(authenticated.session.subscriber)) }
        ) {
            try await reportedDecision(on: edition, for: authenticated, denialKey, context)
        }
        switch outcome {
        case .rejected(let rejection): return reject(rejection, of: edition, authenticated.reference, context)
        case .unavailable(let failure): return unavailable(failure, authenticated, edition, context)
        case .granted:
            let result = try grant(
                edition, CredentialSubject(authenticated), context,
                lifetime: min(lifetimes.editionCredentials, maxLifetime), isSealed: isInURL)
            observe(.credentialsIssued(authenticated.reference, edition))
            record(.credentialsIssued, of: authenticated, edition)
            return result
        case .failedOpen:
            let result = try grant(
                edition, CredentialSubject(authenticated), context,
                lifetime: min(lifetimes.failOpenCredentials, maxLifetime), isFailOpen: true)
            observe(.failedOpen(authenticated.reference, edition))
            record(.failedOpen, of: authenticated, edition)
            return result
        }
    }

    /// The outcome of a request for the credentials of an edition, before anything is issued.
    enum EditionOutcome: Sendable {
        case granted
        case rejected(EditionRejection)
        /// The subscriber system or a store was unavailable, and the publication fails open.
        case failedOpen
        case unavailable(Unavailable)
    }

    /// Returns the outcome of a request for the credentials of an edition. It changes nothing.
    ///
    /// - Parameters:
    ///   - edition: The edition.
    ///   - wasDenied: Returns whether a denial prevents access in an outage. It is called after `decision`.
    ///   - purchased: Returns the subscription that the reader's purchases open.
    ///   - decision: Returns the decision by the subscriber system.
    func outcome(
        on edition: EditionID, wasDenied: () -> Bool, purchased: () async throws -> Subscription?,
        otherwise decision: () async throws -> EditionDecision
    ) async throws -> EditionOutcome {
        do {
            switch try await decide(on: edition, purchased: purchased, otherwise: decision) {
            case .granted: return .granted
            case .rejected(let rejection): return .rejected(rejection)
            }
        } catch let failure as Unavailable {
            let catalogue = publication.rule.catalogue
            guard publication.failsOpen, catalogue.mayContain(edition), catalogue.isPublished(edition, at: clock.now),
                !wasDenied()
            else { return .unavailable(failure) }
            return .failedOpen
        }
    }

    private func unavailable(
        _ failure: Unavailable, _ authenticated: AuthenticatedSession, _ edition: EditionID?, _ context: CallContext
    ) -> CredentialsResult {
        _ = refused(
            failure, .editionCredentials, of: authenticated.reference, edition: edition,
            by: authenticated.session.subscriber.backend)
        observe(.credentialsRejected(.notEntitled))
        return .rejected(
            CredentialsRejection(
                reason: .notEntitled, message: message(.unavailable, context), retryAfter: failure.retryAfter),
            notes: [])
    }

    /// Returns the subscriber system's decision and records it.
    ///
    /// Only this decision is recorded, because a decision by the catalogue or a purchase is no result of the
    /// subscriber system. It is recorded at once, because a failing purchase ledger must not
    /// undo a denial. A denial of an edition that the catalogue does not list is not cached, because no reader gets
    /// that edition in an outage.
    private func reportedDecision(
        on edition: EditionID, for authenticated: AuthenticatedSession, _ denialKey: DenialCache.Key,
        _ context: CallContext
    ) async throws -> EditionDecision {
        let queried = denials.order
        let fetched = try await verdict(on: edition, for: authenticated.session.subscriber, context) {
            try await reported(about: authenticated, context)
        }
        let decision = fetched.value
        let isLastKnownGood = fetched.freshness == .stale
        if !decision.isRejection || publication.rule.catalogue.mayContain(edition) {
            denials.record(
                denialKey, decision.isRejection ? .edition : nil, isLastKnownGood: isLastKnownGood, queried: queried)
        }
        return try current(fetched, by: authenticated.session.subscriber.backend, denialKey)
    }

    /// Returns the subscriber system's decision with its origin.
    ///
    /// - Throws: ``Unavailable`` for a last known good grant that is older than a denial that another process reported.
    func current(
        _ fetched: Fetched<EditionDecision>, by backend: String, _ denialKey: DenialCache.Key
    ) throws(Unavailable) -> EditionDecision {
        if fetched.freshness == .stale, !fetched.value.isRejection, denials.wasEditionDenied(denialKey) {
            throw Unavailable(
                .backendUnavailable, retryAfter: retryAfter, cause: "the edition was denied in the meantime")
        }
        return fetched.value.settled(by: backend, fetched.freshness)
    }

    private func record(_ kind: TimelineEvent.Kind, of authenticated: AuthenticatedSession, _ edition: EditionID) {
        record(
            kind, of: authenticated.session.subscriber, as: authenticated.reference,
            device: authenticated.session.device, edition: edition)
    }

    /// The subject of edition credentials.
    struct CredentialSubject {
        let subject: SaltSubject
        let subscriber: Subscriber
        /// The latest possible expiry of the credentials.
        let until: Date

        init(_ subject: SaltSubject, subscriber: Subscriber, until: Date = .distantFuture) {
            self.subject = subject
            self.subscriber = subscriber
            self.until = until
        }

        fileprivate init(_ authenticated: AuthenticatedSession) {
            self.init(
                authenticated.subject, subscriber: authenticated.session.subscriber,
                until: authenticated.session.expiresAt)
        }
    }

    /// Issues credentials.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime in seconds.
    ///   - isSealed: A Boolean value that forces a sealed salt, because a plain salt never expires.
    func grant(
        _ edition: EditionID, _ credentialSubject: CredentialSubject, _ context: CallContext, lifetime: TimeInterval,
        isSealed: Bool = false,
        isFailOpen: Bool = false
    ) throws -> CredentialsResult {
        let now = clock.now
        let expiresAt = min(now.addingTimeInterval(lifetime), credentialSubject.until)
        return .granted(
            // A plain salt never expires, so fail-open credentials are always sealed.
            try credentials.issue(
                edition, for: credentialSubject.subject, until: expiresAt, sealing: isFailOpen || isSealed),
            headers: try edgeHeaders(
                EdgeGrant(
                    publication: publication.id, subscriber: credentialSubject.subscriber, edition: edition,
                    issuedAt: now,
                    expiresAt: expiresAt, client: context.client)),
            notes: notes(
                [
                    "Publication: \(publication.id)", "Requested edition: \(edition)",
                    "Generated: \(DebugTime.text(now))",
                    isFailOpen ? "Failed open: the subscriber system is unavailable" : nil,
                ].compactMap(\.self)))
    }

    private func edgeHeaders(_ grant: @autoclosure () -> EdgeGrant) throws -> [EdgeHeader] {
        guard let edgeToken = publication.edgeToken else { return [] }
        return try edgeToken.headers(for: grant())
    }

    /// Returns the rejection of an edition by a decision.
    func reject(
        _ rejection: EditionRejection, of edition: EditionID, _ subscriber: SubscriberPseudonym?,
        _ context: CallContext
    ) -> CredentialsResult {
        let rejection = named(rejection, of: edition)
        return reject(
            rejection.status, message(for: rejection, context),
            refusal(
                rejection.reason, .editionCredentials, of: subscriber, edition: edition, by: rejection.backend,
                rejection.freshness))
    }

    /// Returns the rejection with the reason that helps most.
    func named(_ rejection: EditionRejection, of edition: EditionID) -> EditionRejection {
        publication.rule.catalogue.mayContain(edition) ? rejection : rejection.ofUnknownEdition
    }

    private func reject(
        _ status: CredentialsRejection.Reason, _ text: String?, _ reading: TokenReadResult, of token: String
    ) -> CredentialsResult {
        let (reason, subscriber) = reading.refusal(token) ?? (.tokenUnreadable, nil)
        return reject(status, text, refusal(reason, .editionCredentials, of: subscriber))
    }

    /// Returns the rejection of a request for edition credentials, and reports the refusal.
    package func reject(
        _ reason: CredentialsRejection.Reason?, _ text: String?, _ refusal: Refusal
    ) -> CredentialsResult {
        report(refusal)
        observe(.credentialsRejected(reason))
        return .rejected(
            CredentialsRejection(reason: reason, message: text),
            notes: notes(["Generated: \(DebugTime.text(clock.now))"]))
    }
}
