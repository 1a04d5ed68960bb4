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
        do {
            let decision = try await decide(on: edition, for: pseudonymKey.owner(authenticated.session.subscriber)) {
                try await reportedDecision(on: edition, for: authenticated, denialKey, context)
            }
            switch decision {
            case .rejected(let rejection): return reject(rejection, of: edition, authenticated.reference, context)
            case .granted:
                let result = try grant(
                    edition, CredentialSubject(authenticated), context,
                    lifetime: min(lifetimes.editionCredentials, maxLifetime), isSealed: isInURL)
                observe(.credentialsIssued(authenticated.reference, edition))
                record(.credentialsIssued, of: authenticated, edition)
                return result
            }
        } catch let failure as Unavailable {
            let catalogue = publication.rule.catalogue
            guard publication.failsOpen, catalogue.mayContain(edition), catalogue.isPublished(edition, at: clock.now),
                !denials.wasDenied(denialKey)
            else {
                return unavailable(failure, authenticated, edition, context)
            }
            let result = try grant(
                edition, CredentialSubject(authenticated), context,
                lifetime: min(lifetimes.failOpenCredentials, maxLifetime), isFailOpen: true)
            observe(.failedOpen(authenticated.reference, edition))
            record(.failedOpen, of: authenticated, edition)
            return result
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
        let decision = fetched.value.settled(by: authenticated.session.subscriber.backend, fetched.freshness)
        let isLastKnownGood = fetched.freshness == .stale
        if !decision.isRejection || publication.rule.catalogue.mayContain(edition) {
            denials.record(
                denialKey, decision.isRejection ? .edition : nil, isLastKnownGood: isLastKnownGood, queried: queried)
        }
        // This grant is older than a denial that another process reported.
        if isLastKnownGood, !decision.isRejection, denials.wasEditionDenied(denialKey) {
            throw Unavailable(
                .backendUnavailable, retryAfter: retryAfter, cause: "the edition was denied in the meantime")
        }
        return decision
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
        let rejection = publication.rule.catalogue.mayContain(edition) ? rejection : rejection.ofUnknownEdition
        return reject(
            rejection.status, message(for: rejection, context),
            refusal(
                rejection.reason, .editionCredentials, of: subscriber, edition: edition, by: rejection.backend,
                rejection.freshness))
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
