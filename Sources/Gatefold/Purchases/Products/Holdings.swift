public import Foundation

/// What somebody's purchases open.
public struct Holdings: Sendable, Equatable {
    /// Everything that is held, however it was bought.
    public var editions: Set<EditionID>
    /// Those of them that came with a subscription. Grace goes by these alone: a single purchase opens what was bought and
    /// nothing else (PROTOCOLS 3).
    public private(set) var subscribed: Set<EditionID>
    /// Whether a subscription runs.
    public var isSubscribed: Bool

    public init(editions: Set<EditionID> = [], subscribed: Set<EditionID> = [], isSubscribed: Bool = false) {
        self.editions = editions.union(subscribed)
        self.subscribed = subscribed
        self.isSubscribed = isSubscribed
    }

    public var isEmpty: Bool { editions.isEmpty && !isSubscribed }

    mutating func add(subscribed more: Set<EditionID>) {
        editions.formUnion(more)
        subscribed.formUnion(more)
    }
}

extension EntitlementRule {
    /// What holdings open: the policy says what a subscription that runs opens, and grace what comes with it; what was
    /// bought is its buyer's under every policy.
    ///
    /// - Returns: nil where nothing is held.
    public func subscription(of holdings: Holdings, at moment: Date) -> Subscription? {
        if holdings.isEmpty { return nil }
        // Never "everything", which only the policy can say.
        let told = Subscription(
            state: holdings.isSubscribed ? .active : .inactive, entitlement: .editions(holdings.subscribed))
        var subscription = apply(to: told, at: moment)
        if case .editions(let opened) = subscription.entitlement {
            subscription.entitlement = .editions(catalogue.out(of: opened.union(holdings.editions), at: moment))
        }
        return subscription
    }
}
