import Foundation
import JSON

/// A purchase in Google's signed purchase data.
///
/// Source: Store receipts in the Pugpig style, “Google purchase data”.
struct GoogleOrder: Sendable, Equatable {
    let package: String
    let product: String
    /// Google's order number, or nil if there is none, as for free purchases.
    let order: String?
    let token: String
    let purchased: Date
    /// The state: 0 is purchased, 1 is cancelled, and any other value is not paid yet.
    let state: Int
    let quantity: Int

    /// The prefix of products that Google sells free of charge to any account during the development of an app.
    private static let testProducts = "android.test."

    /// A Boolean value that indicates whether the purchase was free. The data does not distinguish a licence
    /// tester's purchase from others; only Google can.
    var isTest: Bool { order == nil || product.hasPrefix(Self.testProducts) }

    /// The maximum number of orders. A longer list is not purchase data.
    static let limit = 100

    /// Reads the orders of purchase data in either format, `{"orders": […]}` or a single order.
    ///
    /// Returns nil if the text has neither format. Skips orders that lack a required field.
    static func read(_ text: String) -> [GoogleOrder]? {
        guard let json = try? JSONParser.parse(Array(text.utf8)), json.members != nil else { return nil }
        guard let orders = json["orders"] else { return GoogleOrder(json).map { [$0] } }
        guard let orders = orders.items, orders.count <= limit else { return nil }
        return orders.compactMap { GoogleOrder($0) }
    }

    private init?(_ json: JSONValue) {
        guard let package = json["packageName"]?.text, let product = json["productId"]?.text, !product.isEmpty,
            let token = json["purchaseToken"]?.text, !token.isEmpty,
            let milliseconds = json["purchaseTime"]?.integer, (0..<100_000_000_000_000).contains(milliseconds)
        else { return nil }
        self.package = package
        self.product = product
        self.token = token
        order = json["orderId"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        purchased = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        // Google's own library treats an order without a state as paid.
        switch json["purchaseState"] {
        case nil: state = 0
        case let value?: state = value.integer ?? -1
        }
        quantity = max(1, min(json["quantity"]?.integer ?? 1, 1_000_000))
    }
}
