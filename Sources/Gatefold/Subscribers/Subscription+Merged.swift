extension Subscription {
    /// Several subscriptions of one reader as one.
    ///
    /// The state is the best of them: active, inactive, suspended, stale, unknown. Each adds the editions that it opens
    /// by itself, so that a suspended one adds none and one that has run out does not open everything; all add their
    /// periods and their user info. The message is the first that comes with the state. One alone stays as it is.
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
                merged.beginnings.formUnion(subscription.beginnings)
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
