import Primitives

extension AuthorizationService {
    /// Returns the reader's subscription under the publication's policy.
    ///
    /// An invalid token is not an error. The state is `stale` if the token is missing or can be renewed, otherwise
    /// `unknown`. Neither state opens anything.
    ///
    /// Source: Pugpig protocol, “Verify subscription”.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - context: The context of the call.
    ///   - reportsState: Whether a subscription that is not active is reported as a refusal. Default: yes. A call that only
    ///     shows the subscription refuses nothing.
    /// - Throws: ``Unavailable`` if the backend was unavailable, so that the app retains its last known good state.
    public func verify(
        token: String, _ context: CallContext, reportsState: Bool = true
    ) async throws -> VerificationResult {
        let reading = read(token)
        if let (reason, subscriber) = reading.refusal(token) { report(refusal(reason, .verification, of: subscriber)) }
        switch reading {
        case .unreadable:
            return token.isEmpty ? without(.stale, .noToken, context) : without(.unknown, .tokenRejected, context)
        case .revoked: return without(.unknown, .tokenRejected, context)
        case .expired: return without(.unknown, .tokenExpired, context)
        case .renewable: return without(.stale, .stale, context)
        case .good(let authenticated):
            let backend = authenticated.session.subscriber.backend
            let fetched: Fetched<Subscription>
            do {
                fetched = try await subscription(of: authenticated, context)
            } catch let failure as Unavailable {
                throw refused(failure, .verification, of: authenticated.reference, by: backend)
            }
            var subscription = fetched.value
            if reportsState, let reason = RefusalReason(subscription.state) {
                report(
                    refusal(reason, .verification, of: authenticated.reference, by: backend, fetched.freshness),
                    of: authenticated.session.subscriber)
            }
            if subscription.message == nil { subscription.message = message(MessageKey(subscription.state), context) }
            observe(.verified(authenticated.reference, subscription.state))
            return VerificationResult(
                subscription: subscription,
                notes: notes([
                    "Publication: \(publication.id)", "Policy: \(publication.rule.policy.rawValue)",
                    "Generated: \(DebugTime.text(clock.now))",
                ]))
        }
    }

    /// Returns the subscription from the subscriber system under the publication's policy, merged with the reader's
    /// purchases.
    private func subscription(of authenticated: AuthenticatedSession, _ context: CallContext) async throws
        -> Fetched<Subscription>
    {
        try await verified(
            purchased: { try await purchased(by: pseudonymKey.owner(authenticated.session.subscriber)) },
            reported: { try await reported(about: authenticated, context) })
    }

    /// Returns the subscription of a verification.
    ///
    /// - Parameters:
    ///   - purchased: Returns the subscription that the reader's purchases open.
    ///   - reported: Returns the subscriber system's subscription under the publication's policy.
    func verified(
        purchased: () async throws -> Subscription?, reported: () async throws -> Fetched<Subscription>
    ) async throws -> Fetched<Subscription> {
        guard purchaseSource != nil else { return try await reported() }
        let own = try await purchased()
        return try await reported().map { Subscription.merged([$0, own].compactMap(\.self)) }
    }

    /// Returns the subscription from the subscriber system under the publication's policy.
    func reported(
        about authenticated: AuthenticatedSession, _ context: CallContext
    ) async throws -> Fetched<Subscription> {
        await recordUse(of: authenticated)
        let queried = denials.order
        let reported = try await queryBackend {
            try await backend.subscription(of: authenticated.session.subscriber, context: context)
        }
        denials.record(
            denialKey(of: authenticated, context), Denial(reported.value.state),
            isLastKnownGood: reported.freshness == .stale, queried: queried)
        if reported.freshness == .live {
            timeline?.record(
                reported.value, of: authenticated.session.subscriber, as: authenticated.reference, in: publication.id)
        }
        return try reported.map(applyingRule)
    }

    private func without(_ state: SubscriptionState, _ key: MessageKey, _ context: CallContext) -> VerificationResult {
        VerificationResult(
            subscription: Subscription(state: state, message: message(key, context)),
            notes: notes(["Generated: \(DebugTime.text(clock.now))"]))
    }

    /// Records in the state store, at intervals, that a device is in use. A failure does not affect the reader.
    private func recordUse(of authenticated: AuthenticatedSession) async {
        guard let device = authenticated.session.device, publication.deviceLimit != nil,
            uses.isDue(device, of: authenticated.reference, at: clock.elapsed)
        else { return }
        try? await withStore {
            try await state.touch(device, of: authenticated.reference, in: publication.id, at: clock.now)
        }
    }
}

extension RefusalReason {
    /// Creates the reason for which a reader with this state cannot read on a subscription; nil for an active one.
    init?(_ state: SubscriptionState) {
        switch state {
        case .active: return nil
        case .inactive: self = .subscriptionLapsed
        case .suspended: self = .readerSuspended
        case .unknown: self = .readerUnknown
        case .stale: self = .subscriptionStale
        }
    }
}

extension MessageKey {
    init(_ state: SubscriptionState) {
        self =
            switch state {
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            case .unknown: .unknown
            case .stale: .stale
            }
    }
}
