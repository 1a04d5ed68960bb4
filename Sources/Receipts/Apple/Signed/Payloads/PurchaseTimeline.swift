import Commerce
import Foundation

/// A combination of Apple's signed statements about purchases.
enum PurchaseTimeline {
    /// Returns the transactions of a store, each once, in its latest signed version.
    ///
    /// A period that an upgrade ended early ends where the next period of the same purchase begins. If the next
    /// period is not among the transactions, it ends at the signature date of the transaction. Billing grace
    /// applies to the last period.
    ///
    /// - Parameter renewals: The known renewal information of the subscriptions.
    static func transactions(
        _ signed: [SignedTransaction], renewals: [SignedRenewalInfo] = [], of store: StoreName
    ) -> [StoreTransaction] {
        var latest: [String: SignedTransaction] = [:]
        for transaction in signed where latest[transaction.id].map({ $0.signed < transaction.signed }) ?? true {
            latest[transaction.id] = transaction
        }
        return Dictionary(grouping: latest.values, by: \.original).flatMap { original, periods in
            let periods = periods.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }
            let renewal = renewals.filter { $0.original == original }.max { $0.signed < $1.signed }
            return periods.indices.map { index in
                let next = periods[(index + 1)...].first { $0.purchased > periods[index].purchased }
                return Self.transaction(
                    periods[index], upgraded: next?.purchased, grace: next == nil ? renewal : nil, of: store)
            }
        }
        .sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }
    }

    private static func transaction(
        _ period: SignedTransaction, upgraded: Date?, grace: SignedRenewalInfo?, of store: StoreName
    ) -> StoreTransaction {
        var expires = period.expires
        var reported: GracePeriod?
        if period.isUpgraded {
            let end = upgraded ?? period.signed
            expires = min(expires ?? end, end)
        } else if expires != nil, let grace {
            reported = GracePeriod(ends: grace.gracePeriodEnd, reported: grace.signed)
        }
        return StoreTransaction(
            store: store, id: period.id, original: period.original, product: period.product,
            purchased: period.purchased, expires: expires, grace: reported, revoked: period.revoked,
            quantity: period.quantity, environment: period.environment, reported: period.signed)
    }
}
