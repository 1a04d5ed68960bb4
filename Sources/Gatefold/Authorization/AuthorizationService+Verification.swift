import Primitives

extension AuthorizationService {
    /// Returns the reader's subscription under the publication's policy.
    ///
    /// An invalid token is not an error. The state is `stale` if the token is missing or can be renewed, otherwise
    /// `unknown`. Neither state opens anything.
    ///
    /// Source: Pugpig protocol, “Verify subscription”.
    ///
    /// - Throws: ``Unavailable`` if the backend was unavailable, so that the app retains its last known good state.
    public func verify(token: String, _ context: CallContext) async throws -> VerificationResult {
        let (validity, reading) = (self.validity, read(token))
        if let immediate = immediateVerification(reading, token, context, validity) { return commit(immediate) }
        guard case .good(let authenticated) = reading else { return without(.unknown, .tokenRejected, context) }
        return commit(
            verification(try await subscription(of: authenticated, context), authenticated, context, validity))
    }

    /// Returns the same result, without its effects, if it is known without a query; otherwise nil.
    public func immediateVerification(token: String, _ context: CallContext) -> ImmediateResult<VerificationResult>? {
        let validity = self.validity
        return immediateVerification(read(token), token, context, validity)
    }

    private func immediateVerification(
        _ reading: TokenReadResult, _ token: String, _ context: CallContext, _ validity: CacheValidity
    ) -> ImmediateResult<VerificationResult>? {
        switch reading {
        case .unreadable:
            ImmediateResult(
                token.isEmpty ? without(.stale, .noToken, context) : without(.unknown, .tokenRejected, context),
                validity)
        case .revoked: ImmediateResult(without(.unknown, .tokenRejected, context), validity)
        case .expired: ImmediateResult(without(.unknown, .tokenExpired, context), validity)
        case .renewable: ImmediateResult(without(.stale, .stale, context), validity)
        case .good(let authenticated):
            // Purchases are on disk and need a query.
            purchaseSource == nil
                ? cached(about: authenticated, context).map { known in
                    verification(
                        known.value.subscription, authenticated, context, validity.joined(with: known.validity),
                        denialUpdates: [known.value.update])
                } : nil
        }
    }

    private func verification(
        _ reported: Subscription, _ authenticated: AuthenticatedSession, _ context: CallContext,
        _ validity: CacheValidity,
        denialUpdates: [DenialCache.Update] = []
    ) -> ImmediateResult<VerificationResult> {
        var subscription = reported
        if subscription.message == nil { subscription.message = message(MessageKey(subscription.state), context) }
        let result = VerificationResult(
            subscription: subscription,
            comments: comments([
                "Publication: \(publication.id)", "Policy: \(publication.rule.policy.rawValue)",
                "Generated: \(DebugTime.text(clock.now))",
            ]))
        return ImmediateResult(
            result, validity, .verified(authenticated.reference, subscription.state), denialUpdates: denialUpdates)
    }

    /// Returns the subscription from the subscriber system under the publication's policy, merged with the reader's
    /// purchases.
    private func subscription(of authenticated: AuthenticatedSession, _ context: CallContext) async throws
        -> Subscription
    {
        let own = try await purchased(by: pseudonymKey.owner(authenticated.session.subscriber))
        return Subscription.merged([try await reported(about: authenticated, context), own].compactMap(\.self))
    }

    /// Returns the subscription from the subscriber system under the publication's policy.
    func reported(about authenticated: AuthenticatedSession, _ context: CallContext) async throws -> Subscription {
        await recordUse(of: authenticated)
        let queried = denials.order
        let (reported, isLastKnownGood) = try await LastKnownGoodTracker.recording {
            try await queryBackend {
                try await backend.subscription(of: authenticated.session.subscriber, context: context)
            }
        }
        denials.record(
            denialKey(of: authenticated, context), Denial(reported.state), isLastKnownGood: isLastKnownGood,
            queried: queried)
        return try applyingRule(to: reported)
    }

    /// A subscription under the publication's policy.
    struct Known {
        let subscription: Subscription
        /// The subscriber system's own result: a denial unless the state is "active".
        let update: DenialCache.Update
    }

    /// Returns the same subscription if it is cached and no device use has to be stored; otherwise nil.
    func cached(about authenticated: AuthenticatedSession, _ context: CallContext) -> Cached<Known>? {
        guard !isUseRecordDue(of: authenticated),
            let reported = backend.cachedSubscription(of: authenticated.session.subscriber, context: context),
            let subscription = try? applyingRule(to: reported.value)
        else { return nil }
        return Cached(
            Known(
                subscription: subscription,
                update: DenialCache.Update(
                    key: denialKey(of: authenticated, context), denial: Denial(reported.value.state))),
            validity: reported.validity)
    }

    private func without(_ state: SubscriptionState, _ key: MessageKey, _ context: CallContext) -> VerificationResult {
        VerificationResult(
            subscription: Subscription(state: state, message: message(key, context)),
            comments: comments(["Generated: \(DebugTime.text(clock.now))"]))
    }

    private func isUseRecordDue(of authenticated: AuthenticatedSession) -> Bool {
        guard let device = authenticated.session.device, publication.deviceLimit != nil else { return false }
        return uses.wouldBeDue(device, of: authenticated.reference, at: clock.elapsed)
    }

    /// Records in the state store, at intervals, that a device is in use. A failure does not affect the reader.
    private func recordUse(of authenticated: AuthenticatedSession) async {
        guard let device = authenticated.session.device, publication.deviceLimit != nil,
            uses.isDue(device, of: authenticated.reference, at: clock.elapsed)
        else { return }
        do {
            try await state.touch(device, of: authenticated.reference, in: publication.id, at: clock.now)
        } catch {
            observe(.stateStoreFailed(cause: String(describing: type(of: error))))
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
