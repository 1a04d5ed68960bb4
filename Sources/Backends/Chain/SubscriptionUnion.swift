import Gatefold

/// One subscription of a reader's subscriptions to several systems.
///
/// It opens exactly what one of them opens. A suspension is the suspending system's own affair: it takes away what that
/// system gave, and nothing of what another one gives.
enum SubscriptionUnion {
    /// From the best state to the worst.
    private static let ranks: [SubscriptionState] = [.active, .inactive, .suspended, .stale, .unknown]

    static func of(_ subscriptions: [Subscription]) -> Subscription {
        if subscriptions.count == 1 { return subscriptions[0] }
        guard let state = ranks.first(where: { rank in subscriptions.contains { $0.state == rank } }) else {
            return Subscription(state: .unknown)
        }
        // What a suspended, stale or unknown one lists must not be opened by the other's better state.
        let counting =
            state == .active || state == .inactive
            ? subscriptions.filter { $0.state == .active || $0.state == .inactive }
            : subscriptions.filter { $0.state == state }
        return Subscription(
            state: state, message: subscriptions.lazy.filter { $0.state == state }.compactMap(\.message).first,
            entitlement: entitlement(counting),
            beginnings: counting.reduce(into: []) { $0.formUnion($1.beginnings) },
            userInfo: unique(subscriptions.flatMap(\.userInfo)),
            periods: unique(counting.flatMap(\.periods)))
    }

    /// Everything only where an active one says so; of any other, "everything" opens nothing, see `Subscription.opens(_:)`.
    private static func entitlement(_ subscriptions: [Subscription]) -> Entitlement {
        var held: Set<EditionID> = []
        for subscription in subscriptions {
            switch subscription.entitlement {
            case .allEditions: if subscription.state == .active { return .allEditions }
            case .editions(let editions): held.formUnion(editions)
            }
        }
        return .editions(held)
    }

    private static func unique<Item: Hashable>(_ items: [Item]) -> [Item] {
        var seen: Set<Item> = []
        return items.filter { seen.insert($0).inserted }
    }
}
