public import Foundation
public import Gatefold

/// The rules for the editions that a publication's app store products open.
public struct ProductRules: Sendable, Equatable {
    /// The editions that an active subscription opens.
    public enum Scope: String, Sendable, CaseIterable {
        /// Every edition that was published while the subscription ran, permanently.
        case published
        /// Every edition on the shelf while the subscription runs.
        case everything
    }

    /// The subscription products. The first match counts. A product without a match is a single edition.
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

    /// Returns whether a product is one of the publication's: a subscription, or an edition of the catalogue.
    package func includes(_ product: String, in catalogue: Catalogue) -> Bool {
        subscription(product) != nil || catalogue.edition(storeProductID: product) != nil
    }

    /// Returns the holdings at `timestamp`: single purchases, and editions that were published while a subscription
    /// ran. Both are permanent.
    ///
    /// Revoked transactions do not count. A product that is neither a subscription nor an edition opens nothing.
    ///
    /// Source: Baker protocol, “Meaning of the list”.
    public func holdings(
        from transactions: some Sequence<StoreTransaction>, in catalogue: Catalogue, at timestamp: Date
    ) -> Holdings {
        var holdings = Holdings()
        for transaction in transactions where transaction.revoked == nil {
            guard let subscription = subscription(transaction.product) else {
                if let edition = catalogue.edition(storeProductID: transaction.product) {
                    holdings.editions.insert(edition)
                }
                continue
            }
            guard let reported = subscription.period(of: transaction) else { continue }
            // Rounding affects only the published editions. Whether the subscription is running depends on the
            // store's exact end.
            if reported.contains(timestamp) { holdings.isSubscribed = true }
            holdings.add(subscribed: catalogue.published(during: rounding.widen(reported), by: timestamp))
        }
        if holdings.isSubscribed, scope == .everything {
            holdings.add(subscribed: Set(catalogue.offered(at: timestamp).map(\.id)))
        }
        return holdings
    }
}
