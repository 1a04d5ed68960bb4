import Gatefold

/// The union of a reader's subscriptions to several systems.
///
/// The union opens exactly the editions that one of the subscriptions opens. A suspension concerns only the
/// suspending system. It withdraws the editions of that system and none of another.
enum SubscriptionUnion {
    /// The states from best to worst.
    private static let ranks: [SubscriptionState] = [.active, .inactive, .suspended, .stale, .unknown]

    static func of(_ subscriptions: [Subscription]) -> Subscription {
        if subscriptions.count == 1 { return subscriptions[0] }
        guard let state = ranks.first(where: { rank in subscriptions.contains { $0.state == rank } }) else {
            return Subscription(state: .unknown)
        }
        // The better state of another subscription must not open the editions of a suspended, stale or unknown one.
        let counting =
            state == .active || state == .inactive
            ? subscriptions.filter { $0.state == .active || $0.state == .inactive }
            : subscriptions.filter { $0.state == state }
        return Subscription(
            state: state, message: subscriptions.lazy.filter { $0.state == state }.compactMap(\.message).first,
            entitlement: entitlement(counting),
            editionPrefixes: counting.reduce(into: []) { $0.formUnion($1.editionPrefixes) },
            userInfo: unique(subscriptions.flatMap(\.userInfo)),
            periods: unique(counting.flatMap(\.periods)))
    }

    /// Returns the united entitlement. It is everything only if an active subscription has everything, because an
    /// inactive subscription with everything opens nothing. See `Subscription.opens(_:)`.
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
