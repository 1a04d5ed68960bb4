import Foundation
import Gatefold
import JSON

/// A `SubscriptionPurchaseV2` of the Developer API, as far as it matters here.
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

    /// Products of one purchase beyond these are passed over.
    private static let mostItems = 50

    /// States in which nothing was paid for.
    private static let unpaid: Set<String> = [
        "SUBSCRIPTION_STATE_PENDING", "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED",
    ]
    /// States in which nothing is open, whatever the end that is told.
    private static let closed: Set<String> = [
        "SUBSCRIPTION_STATE_EXPIRED", "SUBSCRIPTION_STATE_ON_HOLD", "SUBSCRIPTION_STATE_PAUSED",
    ]

    /// Nil where it is none.
    init?(_ json: JSONValue) {
        guard let state = json["subscriptionState"]?.text, let items = json["lineItems"]?.items else { return nil }
        self.state = state
        started = json["startTime"]?.text.flatMap(Self.date)
        latestOrder = json["latestOrderId"]?.text
        isTest = json["testPurchase"]?.members != nil
        awaitsAcknowledgement = json["acknowledgementState"]?.text == "ACKNOWLEDGEMENT_STATE_PENDING"
        self.items = items.prefix(Self.mostItems).compactMap { item in
            guard let product = item["productId"]?.text, !product.isEmpty,
                let expires = item["expiryTime"]?.text.flatMap(Self.date)
            else { return nil }
            return Item(product: product, expires: expires, order: item["latestSuccessfulOrderId"]?.text)
        }
    }

    var products: [String] { items.map(\.product) }

    /// The purchase began when the subscription did: Google does not tell when each renewal was.
    func answer(_ question: GoogleQuestion, in store: StoreName, at moment: Date) -> GoogleAnswer {
        guard !Self.unpaid.contains(state), let started, !items.isEmpty else {
            return .refused(ReceiptRefusal(.empty))
        }
        let isClosed = Self.closed.contains(state)
        return .found(
            items.enumerated().map { index, item in
                let order = item.order ?? latestOrder ?? question.order
                let id = GooglePurchaseID.transaction(order: order, token: question.token)
                func named(_ id: String) -> String {
                    items.count == 1 ? id : GooglePurchaseID.item(item.product, of: id)
                }
                return StoreTransaction(
                    store: store, id: named(id), original: named(GooglePurchaseID.original(of: id)),
                    product: item.product, purchased: started,
                    expires: isClosed ? min(item.expires, moment) : item.expires,
                    environment: isTest ? .sandbox : .production,
                    // They are acknowledged as one.
                    awaitsAcknowledgement: awaitsAcknowledgement && !isClosed && index == 0, told: moment)
            })
    }

    /// RFC 3339 as Google writes it: in UTC, with up to nine digits of a fraction.
    static func date(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /([0-9T:\-]{19})(\.[0-9]{1,9})?Z/),
            let whole = try? Date("\(match.1)Z", strategy: .iso8601)
        else { return nil }
        return whole.addingTimeInterval(match.2.flatMap { Double("0\($0)") } ?? 0)
    }
}
