package import Foundation
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
    ///   - timestamp: The time for which dates, periods and the catalogue are evaluated. Default: the present. What only
    ///     the present knows, such as the state in the subscriber system, is marked in the steps.
    ///   - context: The context of the app's call, for backends whose results depend on request fields.
    ///   - file: Returns the file of an edition; nil if this machine has no content of the publication.
    /// - Throws: A cancellation error.
    package func explain(
        _ subject: ExplanationSubject, _ edition: EditionID, at timestamp: Date? = nil,
        _ context: CallContext = CallContext(), file: ((EditionID, EditionArchive?) async -> EditionFile)? = nil
    ) async throws -> Explanation {
        let now = timestamp ?? clock.now
        let (clock, fixed) = (clock, now)
        let service = AuthorizationService(
            silent: self, clock: WallClock({ fixed }, elapsed: { clock.elapsed }))
        return try await service.explanation(
            subject, edition, at: now, isOtherTime: timestamp != nil, readAt: self.clock.now, context, file)
    }

    /// - Parameter present: The present, at which tokens are read.
    private func explanation(
        _ subject: ExplanationSubject, _ edition: EditionID, at now: Date, isOtherTime: Bool,
        readAt present: Date, _ context: CallContext,
        _ file: ((EditionID, EditionArchive?) async -> EditionFile)?
    ) async throws -> Explanation {
        let subscriber = subject.subscriber
        let reference = pseudonymKey.reference(to: subscriber)
        let reading = subject.token.map { token in
            AuthorizationService(silent: self, clock: WallClock { present }).read(token)
        }
        let session = hypotheticalSession(of: subject, reading, reference)
        let inputs = try await inputs(edition, session, context)
        let (verdict, outcome) = try await verdict(on: edition, session, reading, subject.token, inputs, context)
        var explanation = Explanation(
            publication: publication.id, edition: edition, reader: reference, backend: subscriber.backend,
            timestamp: now, isOtherTime: isOtherTime, verdict: verdict, subscription: nil, steps: [])
        explanation.subscription = try? await verified(
            purchased: { try inputs.purchased.get() }, reported: { try inputs.subscription.get().map(applyingRule) }
        ).value
        var steps = ExplanationSteps(
            service: self, edition: edition, session: session, now: now, isGranted: verdict.isGranted,
            reason: verdict.reason)
        steps.addReader()
        await steps.addThrottle(subject, context)
        steps.addSubscription(inputs.subscription, inputs.trace)
        steps.addPurchases(inputs.purchased)
        steps.addPolicy(inputs.subscription, explanation.subscription)
        steps.addCatalogue()
        steps.addVerdict(inputs.verdict)
        await steps.addDevices(subject.device)
        steps.addSessions(reading, subject.token)
        steps.addCredentials(outcome, session)
        await steps.addFile(file)
        explanation.steps = steps.all
        if isOtherTime {
            let known: Set<ExplanationStep.Code> = [.policy, .catalogue, .credentials]
            for index in explanation.steps.indices where !known.contains(explanation.steps[index].code) {
                explanation.steps[index].isOfPresent = true
            }
        }
        return explanation
    }

    /// The results of the systems, each queried once, or their failures.
    struct ExplanationInputs {
        /// The subscription as the subscriber system reports it.
        var subscription: Result<Fetched<Subscription>, Unavailable>
        var purchased: Result<Subscription?, Unavailable>
        /// The subscriber system's own verdict; nil unless the policy makes it final.
        var verdict: Result<Fetched<EditionVerdict?>, Unavailable>?
        let trace: QueryTrace
    }

    private func inputs(
        _ edition: EditionID, _ session: AuthenticatedSession, _ context: CallContext
    ) async throws -> ExplanationInputs {
        let subscriber = session.session.subscriber
        let trace = QueryTrace()
        let subscription = try await QueryTrace.$current.withValue(trace) {
            try await resultOf {
                try await queryBackend { try await backend.subscription(of: subscriber, context: context) }
            }
        }
        let purchased = try await resultOf { try await self.purchased(by: pseudonymKey.owner(subscriber)) }
        var verdict: Result<Fetched<EditionVerdict?>, Unavailable>?
        if publication.rule.policy == .backendDecides {
            verdict = try await resultOf { try await ownVerdict(on: edition, for: subscriber, context) }
        }
        return ExplanationInputs(
            subscription: subscription, purchased: purchased, verdict: verdict, trace: trace)
    }

    /// Returns the verdict of a request for edition credentials, from inputs that were queried before.
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
        let result = try await resultOf {
            try await outcome(
                on: edition, wasDenied: { isRejected || denials.wasDenied(denialKey) },
                purchased: { try inputs.purchased.get() }
            ) {
                let fetched = try await verdict(
                    on: edition, context, own: { try inputs.verdict?.get() ?? Fetched(nil) },
                    subscription: { try inputs.subscription.get().map(applyingRule) })
                isRejected = fetched.value.isRejection
                return try current(fetched, by: backendName, denialKey)
            }
        }
        switch result {
        case .failure(let failure): return (.unavailable(failure.reason), nil)
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
        of subject: ExplanationSubject, _ reading: TokenReadResult?, _ reference: SubscriberPseudonym
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

    /// Returns the result of a query, with the response that a test backend dictates as a failure.
    private func resultOf<Value: Sendable>(
        _ query: () async throws -> Value
    ) async throws -> Result<Value, Unavailable> {
        do {
            return .success(try await query())
        } catch let failure as Unavailable {
            return .failure(failure)
        } catch is ScriptedResponse {
            return .failure(Unavailable(.testResponse, retryAfter: retryAfter, cause: "a test reader"))
        }
    }
}
