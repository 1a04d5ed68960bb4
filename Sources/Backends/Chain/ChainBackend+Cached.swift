import Gatefold

/// Cached results of the members for an authenticated subscriber, combined like fresh results. There is no combined
/// result if one of the required members has no cached result.
extension ChainBackend {
    func cachedSubscription(of subscriber: Subscriber, context: CallContext) -> Cached<Subscription>? {
        let reported = Self.cached(by: memberships(of: subscriber)) {
            $0.backend.cachedSubscription(of: $0.subscriber, context: context)
        }
        return reported.map { Cached(SubscriptionUnion.of($0.value), validity: $0.validity) }
    }

    func cachedVerdict(
        on edition: EditionID, for subscriber: Subscriber, context: CallContext
    ) -> Cached<CachedVerdict>? {
        let memberships = memberships(of: subscriber)
        let reported = Self.cached(by: memberships) {
            $0.backend.cachedVerdict(on: edition, for: $0.subscriber, context: context)
        }
        guard let reported else { return nil }
        var verdicts = VerdictUnion(count: memberships.count)
        for (member, verdict) in reported.value.enumerated() {
            _ = verdicts.take(.success(verdict.queried), from: member)
        }
        // `outcome()` throws only the error of a queried member, and this function queries none.
        guard let outcome = try? verdicts.outcome() else { return nil }
        switch outcome {
        case .verdict(let verdict):
            return Cached(verdict.map { .verdict($0) } ?? CachedVerdict.none, validity: reported.validity)
        case .subscriptions(of: let undecided, reported: let subscriptions, otherwise: let rejection):
            let others = Self.cached(by: undecided.map { memberships[$0] }) {
                $0.backend.cachedSubscription(of: $0.subscriber, context: context)
            }
            guard let others else { return nil }
            let verdict = EditionVerdict.deferred(
                subscriptions + others.value, otherwise: rejection.reason, message: rejection.message)
            return Cached(CachedVerdict.verdict(verdict), validity: reported.validity.joined(with: others.validity))
        }
    }

    /// Returns the cached results of all memberships in their order, with the joined validity, or `nil` if one is
    /// missing.
    private static func cached<Value: Sendable>(
        by memberships: [ChainMembership], _ lookUp: (ChainMembership) -> Cached<Value>?
    ) -> Cached<[Value]>? {
        var results: [Value] = []
        var validity = CacheValidity()
        for membership in memberships {
            guard let known = lookUp(membership) else { return nil }
            results.append(known.value)
            validity = validity.joined(with: known.validity)
        }
        return Cached(results, validity: validity)
    }
}

extension CachedVerdict {
    /// The verdict in the form that a query to the backend returns.
    fileprivate var queried: EditionVerdict? {
        switch self {
        case .verdict(let verdict): verdict
        case .none: nil
        }
    }
}
