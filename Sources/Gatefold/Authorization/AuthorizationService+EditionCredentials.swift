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
    /// - Throws: Only the raw response of the test backend, and errors of sealing.
    public func editionCredentials(
        token: String, edition: String?, inURL isInURL: Bool = false, _ context: CallContext
    ) async throws -> CredentialsResult {
        let validity = self.validity
        return switch query(read(token), token, edition, context) {
        case .rejected(let reason, let text): reject(reason, text)
        case .ofNoEdition(let authenticated): try await credentialsForNoEdition(authenticated.session, context)
        case .of(let edition, let authenticated):
            if let immediate = try immediateCredentials(for: edition, authenticated, inURL: isInURL, context, validity)
            {
                commit(immediate)
            } else {
                try await credentials(for: edition, authenticated, inURL: isInURL, context)
            }
        }
    }

    /// Returns the same result, without its effects, if it is known without a query; otherwise nil.
    ///
    /// - Parameters:
    ///   - token: The token of the session.
    ///   - edition: The app's product identifier, unchanged. It is nil or blank if the app sent none.
    ///   - context: The context of the call.
    ///   - willBeCached: A Boolean value that indicates whether the result describes how to issue new credentials for a
    ///     repeated request.
    public func immediateCredentials(
        token: String, edition: String?, _ context: CallContext, willBeCached: Bool = false
    ) throws -> ImmediateResult<CredentialsResult>? {
        let validity = self.validity
        return switch query(read(token), token, edition, context) {
        case .rejected(let reason, let text):
            ImmediateResult(rejected(reason, text), validity, .credentialsRejected(reason))
        case .ofNoEdition: nil
        case .of(let edition, let authenticated):
            try immediateCredentials(
                for: edition, authenticated, inURL: false, context, validity, willBeCached: willBeCached)
        }
    }

    private enum CredentialsQuery {
        case rejected(CredentialsRejection.Reason, String?)
        case ofNoEdition(AuthenticatedSession)
        case of(EditionID, AuthenticatedSession)
    }

    private func query(
        _ reading: TokenReadResult, _ token: String, _ edition: String?, _ context: CallContext
    ) -> CredentialsQuery {
        switch reading {
        case .unreadable, .revoked:
            return .rejected(.rejected, message(token.isEmpty ? .noToken : .tokenRejected, context))
        case .expired, .renewable:
            return .rejected(.expired, message(.tokenExpired, context))
        case .good(let authenticated):
            let named = edition.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
            guard let named else { return .ofNoEdition(authenticated) }
            guard let edition = EditionID(named) else {
                return .rejected(.notEntitled, message(.notEntitled, context))
            }
            return .of(edition, authenticated)
        }
    }

    private func immediateCredentials(
        for edition: EditionID, _ authenticated: AuthenticatedSession, inURL isInURL: Bool, _ context: CallContext,
        _ validity: CacheValidity,
        willBeCached: Bool = false
    ) throws -> ImmediateResult<CredentialsResult>? {
        guard let known = cachedDecision(on: edition, for: authenticated, context) else { return nil }
        return try result(
            Cached(known.value.decision, validity: validity.joined(with: known.validity)), on: edition, authenticated,
            inURL: isInURL, context, denialUpdates: known.value.denialUpdates, willBeCached: willBeCached)
    }

    private func result(
        _ decision: Cached<EditionDecision>, on edition: EditionID, _ authenticated: AuthenticatedSession,
        inURL isInURL: Bool,
        _ context: CallContext, denialUpdates: [DenialCache.Update] = [], willBeCached: Bool = false
    ) throws -> ImmediateResult<CredentialsResult> {
        switch decision.value {
        case .rejected(let reason, let text):
            return ImmediateResult(
                rejected(reason, text ?? message(.notEntitled, context)), decision.validity,
                .credentialsRejected(reason), denialUpdates: denialUpdates)
        case .granted:
            let result = try grant(edition, authenticated, inURL: isInURL, context)
            return ImmediateResult(
                result, decision.validity, .credentialsIssued(authenticated.reference, edition),
                denialUpdates: denialUpdates,
                reusability: willBeCached && !isInURL ? reusability(of: result, edition, authenticated) : .never)
        }
    }

    private func reusability(of result: CredentialsResult, _ edition: EditionID, _ authenticated: AuthenticatedSession)
        -> Reusability
    {
        // Signed edge headers and comments that contain the time are valid for this response only.
        guard case .granted(let first, let headers, let comments) = result, headers.isEmpty, comments.isEmpty else {
            return .never
        }
        let (credentialSubject, lifetime) = (CredentialSubject(authenticated), publication.lifetimes.editionCredentials)
        return .replacing(first) { [credentials, clock] in
            try credentials.issue(
                edition, for: credentialSubject.subject, until: credentialSubject.end(lifetime, from: clock.now))
        }
    }

    private func grant(
        _ edition: EditionID, _ authenticated: AuthenticatedSession, inURL isInURL: Bool, _ context: CallContext
    ) throws -> CredentialsResult {
        let lifetimes = publication.lifetimes
        return try grant(
            edition, CredentialSubject(authenticated), context,
            lifetime: isInURL
                ? min(lifetimes.editionCredentials, lifetimes.downloadToken) : lifetimes.editionCredentials,
            isSealed: isInURL)
    }

    /// Records a decision. A denial of an edition that the catalogue does not list is not cached, because no reader
    /// gets that edition in an outage.
    private func record(
        _ decision: EditionDecision, _ key: DenialCache.Key, _ edition: EditionID, isLastKnownGood: Bool,
        queried: UInt64
    ) {
        guard !decision.isRejection || publication.rule.catalogue.mayContain(edition) else { return }
        denials.record(key, decision.isRejection ? .edition : nil, isLastKnownGood: isLastKnownGood, queried: queried)
    }

    private func credentialsForNoEdition(_ session: Session, _ context: CallContext) async throws -> CredentialsResult {
        let verdict: EditionVerdict?
        do {
            verdict = try await queryBackend {
                try await backend.verdict(on: nil, for: session.subscriber, context: context)
            }
        } catch is Unavailable {
            verdict = nil
        }
        switch verdict {
        case .granted: return .granted(credentials.issueForNoEdition(), headers: [], comments: [])
        // The request names no edition, so no subscription can open it.
        case .rejected(let reason, let text), .deferred(_, otherwise: let reason, message: let text):
            return reject(reason, text ?? message(.noEdition, context))
        case nil: return reject(.notEntitled, message(.noEdition, context))
        }
    }

    private func credentials(
        for edition: EditionID, _ authenticated: AuthenticatedSession, inURL isInURL: Bool, _ context: CallContext
    ) async throws -> CredentialsResult {
        let lifetimes = publication.lifetimes
        let maxLifetime = isInURL ? lifetimes.downloadToken : .infinity
        let subscriber = authenticated.session.subscriber
        let denialKey = denialKey(of: authenticated, edition: edition, context)
        do {
            let decision = try await decide(on: edition, for: pseudonymKey.owner(subscriber)) {
                let queried = denials.order
                let (own, isLastKnownGood) = try await LastKnownGoodTracker.recording {
                    try await verdict(on: edition, for: subscriber, context) {
                        try await reported(about: authenticated, context)
                    }
                }
                // Only the subscriber system's result is recorded, because a decision by the catalogue or a
                // purchase is no result of the subscriber system. It is recorded immediately, because a failing
                // purchase ledger must not undo a denial.
                record(own, denialKey, edition, isLastKnownGood: isLastKnownGood, queried: queried)
                // This grant is older than a denial that another process reported.
                if isLastKnownGood, !own.isRejection, denials.wasEditionDenied(denialKey) {
                    throw Unavailable(retryAfter: retryAfter, cause: "the edition was denied in the meantime")
                }
                return own
            }
            return commit(try result(Cached(decision), on: edition, authenticated, inURL: isInURL, context))
        } catch let failure as Unavailable {
            let catalogue = publication.rule.catalogue
            guard publication.failsOpen, catalogue.mayContain(edition), catalogue.isPublished(edition, at: clock.now),
                !denials.wasDenied(denialKey)
            else {
                observe(.credentialsRejected(.notEntitled))
                return .rejected(
                    CredentialsRejection(
                        reason: .notEntitled, message: message(.unavailable, context), retryAfter: failure.retryAfter),
                    comments: [])
            }
            let result = try grant(
                edition, CredentialSubject(authenticated), context,
                lifetime: min(lifetimes.failOpenCredentials, maxLifetime), isFailOpen: true)
            observe(.failedOpen(authenticated.reference, edition))
            return result
        }
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

        /// Returns the expiry of credentials that are issued now.
        ///
        /// - Parameter lifetime: The lifetime in seconds.
        fileprivate func end(_ lifetime: TimeInterval, from now: Date) -> Date {
            min(now.addingTimeInterval(lifetime), until)
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
        let expiresAt = credentialSubject.end(lifetime, from: now)
        return .granted(
            // A plain salt never expires, so fail-open credentials are always sealed.
            try credentials.issue(
                edition, for: credentialSubject.subject, until: expiresAt, sealing: isFailOpen || isSealed),
            headers: try edgeHeaders(
                EdgeGrant(
                    publication: publication.id, subscriber: credentialSubject.subscriber, edition: edition,
                    issuedAt: now,
                    expiresAt: expiresAt, client: context.client)),
            comments: comments(
                [
                    "Publication: \(publication.id)", "Requested edition: \(edition)",
                    "Generated: \(DebugTime.text(now))",
                    isFailOpen ? "Failed open: the subscriber system is unavailable" : nil,
                ].compactMap(\.self)))
    }

    private func edgeHeaders(_ grant: @autoclosure () -> EdgeGrant) throws -> [EdgeHeader] {
        if publication.edgeTokens.isEmpty { return [] }
        let grant = grant()
        return EdgeHeader.joiningCookies(try publication.edgeTokens.flatMap { try $0.headers(for: grant) })
    }

    package func reject(_ reason: CredentialsRejection.Reason?, _ text: String?) -> CredentialsResult {
        observe(.credentialsRejected(reason))
        return rejected(reason, text)
    }

    private func rejected(_ reason: CredentialsRejection.Reason?, _ text: String?) -> CredentialsResult {
        .rejected(
            CredentialsRejection(reason: reason, message: text),
            comments: comments(["Generated: \(DebugTime.text(clock.now))"]))
    }
}
