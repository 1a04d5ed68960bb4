import Gatefold

/// The combination of several lines about one reader, each of which is a subscription of its own.
enum FeedLines {
    /// The states in order of precedence: the state that matters most for the entitlement comes first.
    private static let order: [SubscriptionState] = [.active, .suspended, .inactive, .stale, .unknown]

    /// Returns the highest state with its first message. When the highest state is active, the editions, periods
    /// and user info come from every active or inactive line, otherwise from the lines with the highest state. An
    /// active line does not unlock the editions of a suspended line.
    ///
    /// - Parameter lines: at least one line.
    static func merged(_ lines: [Subscription]) -> Subscription {
        let state = order.first { state in lines.contains { $0.state == state } } ?? .unknown
        let leading = lines.filter { $0.state == state }
        var merged = Subscription(state: state, message: leading.lazy.compactMap(\.message).first)
        let counted = state == .active ? lines.filter { $0.state == .active || $0.state == .inactive } : leading
        var editions: Set<EditionID> = []
        var hasAll = false
        for line in counted {
            switch line.entitlement {
            // “All editions” of an expired line would unlock everything for the reader of another line.
            case .allEditions: hasAll = hasAll || line.state == state
            case .editions(let held): editions.formUnion(held)
            }
            merged.periods += line.periods
            for category in line.userInfo where !merged.userInfo.contains(category) {
                merged.userInfo.append(category)
            }
        }
        merged.entitlement = hasAll ? .allEditions : .editions(editions)
        return merged
    }
}
