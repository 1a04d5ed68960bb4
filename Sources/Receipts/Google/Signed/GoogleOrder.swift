import Foundation
import JSON

/// One purchase as Google's signed purchase data has it (PROTOCOLS 1.6).
struct GoogleOrder: Sendable, Equatable {
    let package: String
    let product: String
    /// Google's number of the order; nil where there is none, as for purchases that cost nobody anything.
    let order: String?
    let token: String
    let purchased: Date
    /// 0: purchased. 1: cancelled. Anything else: not paid yet.
    let state: Int
    let quantity: Int

    /// Products that Google sells to everybody for nothing while an app is developed.
    private static let testProducts = "android.test."

    /// Whether nobody paid. A licence tester's purchase can not be told from others here, only by Google itself.
    var isTest: Bool { order == nil || product.hasPrefix(Self.testProducts) }

    /// More orders than this are no purchase data.
    static let most = 100

    /// The orders of purchase data in either form, `{"orders": […]}` or a single order.
    ///
    /// Returns nil where the text is neither. Orders that lack what a purchase needs are left out.
    static func read(_ text: String) -> [GoogleOrder]? {
        guard let json = try? JSONParser.parse(Array(text.utf8)), json.members != nil else { return nil }
        guard let orders = json["orders"] else { return GoogleOrder(json).map { [$0] } }
        guard let orders = orders.items, orders.count <= most else { return nil }
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
        // Google's own library takes an order without a state for one that was paid for.
        switch json["purchaseState"] {
        case nil: state = 0
        case let value?: state = value.integer ?? -1
        }
        quantity = max(1, min(json["quantity"]?.integer ?? 1, 1_000_000))
    }
}
