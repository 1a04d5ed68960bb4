import Foundation
import Gatefold

/// What is told of a delivery, by the names it has in webhooks and statements.
enum DeliveryValues {
    static let names: Set<String> = [
        "id", "account", "product", "quantity", "price", "currency", "purchased", "store", "transaction",
        "environment", "publication",
    ]

    /// In the order in which they are sent; nil where the app said nothing.
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
