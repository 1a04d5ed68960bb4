extension Subscription {
    /// Merges several subscriptions of one reader.
    ///
    /// The state is the best in the order active, inactive, suspended, stale, unknown. Each subscription adds the
    /// editions that it opens in its own state: a suspended subscription adds none, and an expired one does not
    /// open everything. All add their periods and their user info. The message is the first message of a
    /// subscription with the resulting state. A single subscription is unchanged.
    public static func merged(_ all: [Subscription]) -> Subscription {
        guard all.count > 1 else { return all.first ?? Subscription(state: .unknown) }
        let order: [SubscriptionState] = [.active, .inactive, .suspended, .stale, .unknown]
        let state = order.first { state in all.contains { $0.state == state } } ?? .unknown
        var merged = Subscription(state: state)
        merged.message = all.first { $0.state == state && $0.message != nil }?.message
        merged.entitlement = .editions([])
        for subscription in all {
            merged.add(subscription.entitlement, of: subscription.state)
            if [.active, .inactive].contains(subscription.state) {
                merged.editionPrefixes.formUnion(subscription.editionPrefixes)
            }
            for info in subscription.userInfo where !merged.userInfo.contains(info) { merged.userInfo.append(info) }
            for period in subscription.periods where !merged.periods.contains(period) { merged.periods.append(period) }
        }
        return merged
    }

    private mutating func add(_ other: Entitlement, of state: SubscriptionState) {
        switch (state, entitlement, other) {
        case (.active, _, .allEditions): entitlement = .allEditions
        case (.active, .editions(let present), .editions(let more)),
            (.inactive, .editions(let present), .editions(let more)):
            entitlement = .editions(present.union(more))
        default: break
        }
    }
}
