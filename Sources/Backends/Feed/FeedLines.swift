import Gatefold

/// What several lines about one reader come to, each of them a subscription of its own.
enum FeedLines {
    /// The state that says most about what a reader may have comes first.
    private static let order: [SubscriptionState] = [.active, .suspended, .inactive, .stale, .unknown]

    /// The best state of all with its first message, and the editions, periods and user info of every line that is active
    /// or has run out: what a suspended one held is not opened by another that is active.
    ///
    /// - Parameter lines: one at least.
    static func combined(_ lines: [Subscription]) -> Subscription {
        let state = order.first { state in lines.contains { $0.state == state } } ?? .unknown
        let leading = lines.filter { $0.state == state }
        var whole = Subscription(state: state, message: leading.lazy.compactMap(\.message).first)
        let counted = state == .active ? lines.filter { $0.state == .active || $0.state == .inactive } : leading
        var editions: Set<EditionID> = []
        var hasAll = false
        for line in counted {
            switch line.entitlement {
            // Of a line that has run out it would open everything to the reader of another.
            case .allEditions: hasAll = hasAll || line.state == state
            case .editions(let held): editions.formUnion(held)
            }
            whole.periods += line.periods
            for category in line.userInfo where !whole.userInfo.contains(category) { whole.userInfo.append(category) }
        }
        whole.entitlement = hasAll ? .allEditions : .editions(editions)
        return whole
    }
}
