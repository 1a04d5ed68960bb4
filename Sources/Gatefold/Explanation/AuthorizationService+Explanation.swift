import Foundation
import Primitives

extension AuthorizationService {
    /// Explains whether a reader can open an edition, step by step. The verdict is that of a request for edition
    /// credentials at the same time, because both make the same decision with the same functions.
    ///
    /// Nothing is recorded, counted, opened or registered, and no refusal is reported. The queries go through the
    /// protections of the backend like those of a reader, and their results may come from its cache.
    ///
    /// - Parameters:
    ///   - subject: The reader.
    ///   - edition: The edition.
    ///   - isOtherTime: Whether the clock of this service and of its backends shows another time than the present. What
    ///     only the present knows is then marked in the steps, and a verdict that depends on it is undecided.
    ///   - isServing: Whether this process serves the readers. Otherwise it has neither the cached results nor the denials
    ///     that decide in an outage, so that such a verdict is undecided.
    ///   - context: The context of the app's call, for backends whose results depend on request fields.
    ///   - file: Returns the file of an edition; nil if this machine has no content of the publication.
    /// - Throws: A cancellation error.
    package func explain(
        _ subject: ExplanationSubject, _ edition: EditionID, isOtherTime: Bool = false, isServing: Bool = true,
        _ context: CallContext = CallContext(), file: ((EditionID, EditionArchive?) async -> EditionFile)? = nil
    ) async throws -> Explanation {
        try await silent().explanation(
            subject, edition, isOtherTime: isOtherTime, isServing: isServing, context, file)
    }

    private func explanation(
        _ subject: ExplanationSubject, _ edition: EditionID, isOtherTime: Bool, isServing: Bool,
        _ context: CallContext, _ file: ((EditionID, EditionArchive?) async -> EditionFile)?
    ) async throws -> Explanation {
        let now = clock.now
        let subscriber = subject.subscriber
        let reference = pseudonymKey.reference(to: subscriber)
        let reading = subject.token.map { read($0) }
        let session = hypotheticalSession(of: subject, reference)
        let inputs = ExplanationInputs(self, edition, subscriber, context)
        let (real, outcome) = try await verdict(on: edition, session, reading, subject.token, inputs, context)
        let lacksSession = subject.token == nil && backend.lacksSession(subscriber)
        var verdict = real
        if isUndecided(
            real, inputs, isOtherTime: isOtherTime, isServing: isServing, lacksSession: lacksSession,
            isBeforeSession: subject.token != nil && isOtherTime && now < session.session.issuedAt)
        {
            verdict = .undecided
        }
        // The steps also show what the decision did not need.
        let reported = try await inputs.subscription()
        let purchased: Result<Subscription?, any Error> =
            try await purchaseSource == nil ? .success(nil) : inputs.purchases()
        let own: Result<Fetched<EditionVerdict?>, any Error>? =
            try await publication.rule.policy == .backendDecides ? inputs.verdict() : nil
        var explanation = Explanation(
            publication: publication.id, edition: edition, reader: reference, backend: subscriber.backend,
            timestamp: now, isOtherTime: isOtherTime, verdict: verdict, subscription: nil, steps: [])
        explanation.isSearchComplete = subject.lookup?.isComplete ?? true
        explanation.subscription = try? await verified(
            purchased: { try purchased.get() }, reported: { try reported.get().map(applyingRule) }
        ).value
        var steps = ExplanationSteps(
            service: self, edition: edition, session: session, hasToken: subject.token != nil, now: now,
            isGranted: real.isGranted, reason: real.reason)
        steps.addReader(subject.lookup)
        await steps.addThrottle(subject, context)
        steps.addSubscription(reported.mapError(unavailable), inputs.trace, lacksSession: lacksSession)
        steps.addPurchases(purchased.mapError(unavailable))
        steps.addPolicy(reported.mapError(unavailable), explanation.subscription)
        steps.addCatalogue()
        steps.addVerdict(own?.mapError(unavailable))
        await steps.addDevices()
        steps.addSessions(reading, subject.token)
        steps.addCredentials(outcome, isUndecided: verdict == .undecided, isServing: isServing)
        await steps.addFile(file)
        explanation.steps = steps.all
        if isOtherTime {
            let known: Set<ExplanationStep.Code> = [.catalogue, .credentials]
            for index in explanation.steps.indices where !known.contains(explanation.steps[index].code) {
                explanation.steps[index].isOfPresent = true
            }
        }
        return explanation
    }

    /// Returns whether a decision depends on something that is not known here.
    private func isUndecided(
        _ verdict: Explanation.Verdict, _ inputs: ExplanationInputs, isOtherTime: Bool, isServing: Bool,
        lacksSession: Bool, isBeforeSession: Bool
    ) -> Bool {
        switch verdict {
        case .unavailable, .undecided: return false
        case .grantedInOutage: return !isServing
        case .granted, .rejected:
            if isBeforeSession { return true }
            let subscription = try? inputs.knownSubscription?.get().value
            let own = try? inputs.knownVerdict?.get().value
            if lacksSession, !verdict.isGranted {
                if subscription?.state == .unknown { return true }
                if let own, own != .granted { return true }
            }
            // A system tells its verdict, and a state without periods, for the present only.
            return isOtherTime && (own != nil || subscription?.periods.isEmpty == true)
        }
    }

    /// Returns the verdict of a request for edition credentials.
    private func verdict(
        on edition: EditionID, _ session: AuthenticatedSession, _ reading: TokenReadResult?, _ token: String?,
        _ inputs: ExplanationInputs, _ context: CallContext
    ) async throws -> (Explanation.Verdict, EditionOutcome?) {
        let backendName = session.session.subscriber.backend
        guard backend.handles(backendName) else { return (.rejected(.rejected, .tokenUnreadable), nil) }
        switch reading {
        case .good?, nil: break
        case .renewable?, .expired?: return (.rejected(.expired, .tokenExpired), nil)
        case .revoked?, .unreadable?:
            let reason = reading?.refusal(token ?? "")?.reason ?? .tokenUnreadable
            return (.rejected(.rejected, reason), nil)
        }
        if hasOutdatedRevocations { return (.unavailable(.revocationsOutdated), nil) }
        let denialKey = denialKey(of: session, edition: edition, context)
        // A request records a rejection, which then prevents access if the purchases are not known.
        var isRejected = false
        let result = try await ExplanationInputs.result {
            try await outcome(
                on: edition, wasDenied: { isRejected || denials.wasDenied(denialKey) },
                purchased: { try await inputs.purchases().get() }
            ) {
                let fetched = try await verdict(
                    on: edition, context, own: { try await inputs.verdict().get() },
                    subscription: { try await inputs.subscription().get().map(applyingRule) })
                isRejected = fetched.value.isRejection
                return try current(fetched, by: backendName, denialKey)
            }
        }
        switch result {
        case .failure(let error): return (.unavailable(unavailable(error).reason), nil)
        case .success(let outcome):
            switch outcome {
            case .granted: return (.granted, outcome)
            case .failedOpen: return (.grantedInOutage, outcome)
            case .unavailable(let failure): return (.unavailable(failure.reason), outcome)
            case .rejected(let rejection):
                let rejection = named(rejection, of: edition)
                return (.rejected(rejection.status, rejection.reason), outcome)
            }
        }
    }

    /// Returns the session of the token, or the one that a sign-in would open now.
    private func hypotheticalSession(
        of subject: ExplanationSubject, _ reference: SubscriberPseudonym
    ) -> AuthenticatedSession {
        if let token = subject.token, let session = tokens.open(token) {
            return AuthenticatedSession(session: session, reference: reference)
        }
        let device = subject.device.map { pseudonymKey.reference(toDevice: $0) }
        let session = device.map { SessionPseudonym($0) } ?? SessionPseudonym(number: 0)
        let issuedAt = timestamp(of: session, for: reference)
        return AuthenticatedSession(
            session: Session(
                publication: publication.id, subscriber: subject.subscriber, device: device, reference: session,
                issuedAt: issuedAt, expiresAt: clock.now.addingTimeInterval(publication.lifetimes.token)),
            reference: reference)
    }

    /// Returns a failed query as a failure of its system, with the response that a test backend dictates as one.
    private func unavailable(_ error: any Error) -> Unavailable {
        (error as? Unavailable) ?? Unavailable(.testResponse, retryAfter: retryAfter, cause: "a test reader")
    }
}
