import Commerce
import Foundation
import JSON

/// The fields of a `SubscriptionPurchaseV2` of the Developer API that Gatefold uses.
struct GoogleSubscription: Sendable {
    private struct Item: Sendable {
        let product: String
        let expires: Date
        let order: String?
    }

    private let state: String
    private let started: Date?
    private let latestOrder: String?
    private let items: [Item]
    private let isTest: Bool
    private let awaitsAcknowledgement: Bool

    /// The maximum number of products of one purchase. Further products are ignored.
    private static let maxItems = 50

    /// The states of a subscription without a payment.
    private static let unpaid: Set<String> = [
        "SUBSCRIPTION_STATE_PENDING", "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED",
    ]
    /// The states in which a subscription opens nothing, regardless of the end in the response.
    private static let closed: Set<String> = [
        "SUBSCRIPTION_STATE_EXPIRED", "SUBSCRIPTION_STATE_ON_HOLD", "SUBSCRIPTION_STATE_PAUSED",
    ]

    /// Reads a subscription, or returns nil if the JSON is not a subscription.
    init?(_ json: JSONValue) {
        guard let state = json["subscriptionState"]?.text, let items = json["lineItems"]?.items else { return nil }
        self.state = state
        started = json["startTime"]?.text.flatMap(Self.date)
        latestOrder = json["latestOrderId"]?.text
        isTest = json["testPurchase"]?.members != nil
        awaitsAcknowledgement = json["acknowledgementState"]?.text == "ACKNOWLEDGEMENT_STATE_PENDING"
        self.items = items.prefix(Self.maxItems).compactMap { item in
            guard let product = item["productId"]?.text, !product.isEmpty,
                let expires = item["expiryTime"]?.text.flatMap(Self.date)
            else { return nil }
            return Item(product: product, expires: expires, order: item["latestSuccessfulOrderId"]?.text)
        }
    }

    var products: [String] { items.map(\.product) }

    /// Returns the result of a query. The purchase date is the start of the subscription, because Google's response
    /// contains no dates of renewals.
    func result(_ query: GoogleQuery, in store: StoreName, at timestamp: Date) -> GoogleResult {
        guard !Self.unpaid.contains(state), let started, !items.isEmpty else {
            return .rejected(ReceiptRejection(.empty))
        }
        let isClosed = Self.closed.contains(state)
        return .found(
            items.enumerated().map { index, item in
                let order = item.order ?? latestOrder ?? query.order
                let id = GooglePurchaseID.transaction(order: order, token: query.token)
                func named(_ id: String) -> String {
                    items.count == 1 ? id : GooglePurchaseID.item(item.product, of: id)
                }
                return StoreTransaction(
                    store: store, id: named(id), original: named(GooglePurchaseID.original(of: id)),
                    product: item.product, purchased: started,
                    expires: isClosed ? min(item.expires, timestamp) : item.expires,
                    environment: isTest ? .sandbox : .production,
                    // One acknowledgement covers all products.
                    awaitsAcknowledgement: awaitsAcknowledgement && !isClosed && index == 0, reported: timestamp)
            })
    }

    /// Parses an RFC 3339 date in Google's format: UTC, with a fraction of up to nine digits.
    static func date(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /([0-9T:\-]{19})(\.[0-9]{1,9})?Z/),
            let whole = try? Date("\(match.1)Z", strategy: .iso8601)
        else { return nil }
        return whole.addingTimeInterval(match.2.flatMap { Double("0\($0)") } ?? 0)
    }
}
