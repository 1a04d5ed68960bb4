public import Foundation

/// What a publication's products in the app stores open.
public struct ProductRules: Sendable, Equatable {
    /// What an active subscription opens.
    public enum Scope: String, Sendable, CaseIterable {
        /// Every edition published while it ran, for ever.
        case published
        /// While it runs, every edition on the shelf.
        case everything
    }

    /// The first that matches counts; a product that none matches is a single edition's.
    public var subscriptions: [SubscriptionProduct]
    public var rounding: PeriodRounding
    public var scope: Scope

    public init(
        subscriptions: [SubscriptionProduct] = [], rounding: PeriodRounding = .exact, scope: Scope = .published
    ) {
        self.subscriptions = subscriptions
        self.rounding = rounding
        self.scope = scope
    }

    public func subscription(_ product: String) -> SubscriptionProduct? {
        subscriptions.first { $0.matches(product) }
    }

    /// What transactions amount to at `moment`: single purchases, and what was published while a subscription ran
    /// (PROTOCOLS 2.3), both kept for ever.
    ///
    /// What was taken back counts for nothing. A product that is neither a subscription nor an edition's opens nothing.
    public func holdings(
        from transactions: some Sequence<StoreTransaction>, in catalogue: Catalogue, at moment: Date
    ) -> Holdings {
        var holdings = Holdings()
        for transaction in transactions where transaction.revoked == nil {
            guard let subscription = subscription(transaction.product) else {
                if let edition = catalogue.edition(soldAs: transaction.product) { holdings.editions.insert(edition) }
                continue
            }
            guard let told = subscription.period(of: transaction) else { continue }
            // What is rounded is what was published; whether it runs is the store's word to the second.
            if told.contains(moment) { holdings.isSubscribed = true }
            holdings.add(subscribed: catalogue.published(during: rounding.widen(told), by: moment))
        }
        if holdings.isSubscribed, scope == .everything {
            holdings.add(subscribed: Set(catalogue.offered(at: moment).map(\.id)))
        }
        return holdings
    }
}
