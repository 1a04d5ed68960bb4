public import Foundation

/// The editions and subscriptions that a person's purchases open.
public struct Holdings: Sendable, Equatable {
    /// All editions, regardless of the kind of purchase.
    public var editions: Set<EditionID>
    /// The editions that came with a subscription. Grace applies to these only, because a single purchase opens
    /// only the purchased edition.
    public private(set) var subscribed: Set<EditionID>
    /// A Boolean value that indicates whether a subscription is running.
    public var isSubscribed: Bool

    public init(editions: Set<EditionID> = [], subscribed: Set<EditionID> = [], isSubscribed: Bool = false) {
        self.editions = editions.union(subscribed)
        self.subscribed = subscribed
        self.isSubscribed = isSubscribed
    }

    public var isEmpty: Bool { editions.isEmpty && !isSubscribed }

    package mutating func add(subscribed more: Set<EditionID>) {
        editions.formUnion(more)
        subscribed.formUnion(more)
    }
}

extension EntitlementRule {
    /// Returns the subscription that holdings represent. The policy decides what a running subscription opens, and
    /// grace adds its editions. Purchased editions belong to their buyer under every policy.
    ///
    /// - Returns: Nil if the holdings are empty.
    public func subscription(of holdings: Holdings, at timestamp: Date) -> Subscription? {
        if holdings.isEmpty { return nil }
        // The entitlement is never "everything", because only the policy can grant that.
        let reported = Subscription(
            state: holdings.isSubscribed ? .active : .inactive, entitlement: .editions(holdings.subscribed))
        var subscription = apply(to: reported, at: timestamp)
        if case .editions(let opened) = subscription.entitlement {
            subscription.entitlement = .editions(catalogue.out(of: opened.union(holdings.editions), at: timestamp))
        }
        return subscription
    }
}
