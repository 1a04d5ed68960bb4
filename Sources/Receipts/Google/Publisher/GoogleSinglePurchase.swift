import Commerce
import Foundation
import JSON

/// The fields of a `ProductPurchase` of the Developer API that Gatefold uses.
struct GoogleSinglePurchase: Sendable {
    let product: String
    private let order: String?
    private let purchased: Date
    private let state: Int
    private let quantity: Int
    private let isTest: Bool
    private let awaitsAcknowledgement: Bool

    /// Reads a purchase, or returns nil if the JSON is not a purchase.
    ///
    /// - Parameter requested: The product of the query. The response does not always repeat it.
    init?(_ json: JSONValue, requested: String) {
        guard json["kind"]?.text.map({ $0 == "androidpublisher#productPurchase" }) ?? true,
            let time = json["purchaseTimeMillis"].flatMap({ $0.integer ?? $0.text.flatMap { Int($0) } }),
            (0..<100_000_000_000_000).contains(time)
        else { return nil }
        product = json["productId"]?.text ?? requested
        order = json["orderId"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        purchased = Date(timeIntervalSince1970: Double(time) / 1000)
        switch json["purchaseState"] {
        case nil: state = 0
        case let value?:
            guard let number = value.integer else { return nil }
            state = number
        }
        quantity = max(1, min(json["quantity"]?.integer ?? 1, 1_000_000))
        isTest = json["purchaseType"]?.integer == 0
        awaitsAcknowledgement = json["acknowledgementState"]?.integer == 0
    }

    func result(_ query: GoogleQuery, in store: StoreName, at timestamp: Date) -> GoogleResult {
        let id = GooglePurchaseID.transaction(order: order ?? query.order, token: query.token)
        // 0 means purchased, and 1 means cancelled. A pending purchase is not paid yet.
        guard [0, 1].contains(state) else { return .rejected(ReceiptRejection(.empty)) }
        return .found([
            StoreTransaction(
                store: store, id: id, original: GooglePurchaseID.original(of: id), product: product,
                purchased: purchased, revoked: state == 1 ? timestamp : nil, quantity: quantity,
                environment: isTest ? .sandbox : .production,
                awaitsAcknowledgement: awaitsAcknowledgement && state == 0, reported: timestamp)
        ])
    }
}
