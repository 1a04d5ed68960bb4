import Commerce
import Foundation
import Gatefold

/// The values of a delivery, by their names in webhooks and statements.
enum DeliveryValues {
    static let names: Set<String> = [
        "id", "account", "product", "quantity", "price", "currency", "purchased", "store", "transaction",
        "environment", "publication",
    ]

    /// Returns the values in the order in which they are sent; nil for values that the app did not supply.
    static func of(_ delivery: Delivery) -> [(name: String, value: String?)] {
        [
            ("id", delivery.id.description), ("account", delivery.credit.account), ("product", delivery.product),
            ("quantity", String(delivery.quantity)), ("price", delivery.credit.price),
            ("currency", delivery.credit.currency), ("purchased", delivery.purchased.formatted(.iso8601)),
            ("store", delivery.id.store.rawValue), ("transaction", delivery.id.transaction),
            ("environment", delivery.environment.rawValue), ("publication", delivery.publication.rawValue),
        ]
    }
}
