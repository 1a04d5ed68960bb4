import Primitives

extension AuthorizationService {
    /// Decides whether an edition opens for an owner.
    ///
    /// An edition that is not published opens for no reader. A free edition opens for every reader, and a purchased
    /// edition opens for its buyer regardless of the subscriber system. Otherwise the verdict of the subscriber
    /// system decides. Before the catalogue is loaded, no decision is possible.
    func decide(
        on edition: EditionID, for owner: @autoclosure () -> PurchaseOwner,
        otherwise verdict: () async throws -> EditionDecision
    ) async throws -> EditionDecision {
        try await decide(on: edition, purchased: { try await purchased(by: owner()) }, otherwise: verdict)
    }

    /// Decides whether an edition opens for a reader.
    ///
    /// - Parameters:
    ///   - edition: The edition.
    ///   - purchased: Returns the subscription that the reader's purchases open. It is called only if it matters.
    ///   - verdict: Returns the decision by the subscriber system. It is called only if it matters.
    func decide(
        on edition: EditionID, purchased: () async throws -> Subscription?,
        otherwise verdict: () async throws -> EditionDecision
    ) async throws -> EditionDecision {
        if let plain = plainDecision(on: edition, by: try catalogue()) { return plain }
        guard purchaseSource != nil else { return try await verdict() }
        let bought: Subscription?
        var ledgerFailure: (any Error)?
        do {
            bought = try await purchased()
        } catch {
            // The subscriber system may still grant the edition. If it does not, the decision is unknown.
            ledgerFailure = error
            bought = nil
        }
        if bought?.opens(edition) == true { return .granted }
        let decision = try await verdict()
        if decision.isRejection, let ledgerFailure { throw ledgerFailure }
        return decision
    }

    /// Returns the decision that the catalogue makes alone, or nil if the decision depends on the reader.
    private func plainDecision(on edition: EditionID, by catalogue: Catalogue) -> EditionDecision? {
        let now = clock.now
        guard catalogue.isPublished(edition, at: now) else {
            return .rejected(EditionRejection(.notEntitled, .notYetPublished))
        }
        return catalogue.isFree(edition, at: now) ? .granted : nil
    }

    /// Returns the decision by the subscriber system's verdict if the policy makes it final and the system has one.
    /// Otherwise the subscription decides, as in a verification.
    func verdict(
        on edition: EditionID, for subscriber: Subscriber, _ context: CallContext,
        subscription: () async throws -> Fetched<Subscription>
    ) async throws -> Fetched<EditionDecision> {
        try await verdict(on: edition, context, own: { try await ownVerdict(on: edition, for: subscriber, context) }) {
            try await subscription()
        }
    }

    /// Returns the subscriber system's own verdict on an edition, or nil if it has none.
    func ownVerdict(
        on edition: EditionID, for subscriber: Subscriber, _ context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        try await queryBackend { try await backend.verdict(on: edition, for: subscriber, context: context) }
    }

    /// Returns the decision by a verdict or by a subscription.
    ///
    /// - Parameters:
    ///   - edition: The edition.
    ///   - context: The context of the call.
    ///   - own: Returns the subscriber system's own verdict. It is called only if the policy makes it final.
    ///   - subscription: Returns the subscription under the publication's policy. It is called only if it matters.
    func verdict(
        on edition: EditionID, _ context: CallContext, own: () async throws -> Fetched<EditionVerdict?>,
        subscription: () async throws -> Fetched<Subscription>
    ) async throws -> Fetched<EditionDecision> {
        guard publication.rule.policy == .backendDecides else {
            return try await subscription().map { decision(by: $0, on: edition, context) }
        }
        let verdict = try await own()
        if let own = verdict.value { return try verdict.map { _ in try decision(by: own, on: edition) } }
        return try await verdict.combined(with: subscription()) { decision(by: $1, on: edition, context) }
    }

    private func decision(by verdict: EditionVerdict, on edition: EditionID) throws(Unavailable) -> EditionDecision {
        switch verdict {
        case .granted: return .granted
        case .rejected(let status, let text): return .rejected(EditionRejection(verdict: status, message: text))
        case .deferred(let subscriptions, otherwise: let status, message: let text):
            for subscription in subscriptions where try applyingRule(to: subscription).opens(edition) {
                return .granted
            }
            return .rejected(EditionRejection(verdict: status, message: text))
        }
    }

    private func decision(
        by subscription: Subscription, on edition: EditionID, _ context: CallContext
    ) -> EditionDecision {
        guard !subscription.opens(edition) else { return .granted }
        let reason = RefusalReason(subscription.state) ?? .notIncluded
        let (status, text): (CredentialsRejection.Reason, String?) =
            switch subscription.state {
            case .unknown: (.rejected, message(.tokenRejected, context))
            case .stale: (.expired, message(.tokenExpired, context))
            case .active, .inactive, .suspended: (.notEntitled, subscription.message)
            }
        return .rejected(EditionRejection(status, message: text, reason))
    }
}
