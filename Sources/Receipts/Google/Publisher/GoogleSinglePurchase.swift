import Foundation
import Gatefold
import JSON

/// A `ProductPurchase` of the Developer API, as far as it matters here.
struct GoogleSinglePurchase: Sendable {
    let product: String
    private let order: String?
    private let purchased: Date
    private let state: Int
    private let quantity: Int
    private let isTest: Bool
    private let awaitsAcknowledgement: Bool

    /// Nil where it is none.
    ///
    /// - Parameter asked: the product it was asked for by; the answer does not always say it again.
    init?(_ json: JSONValue, asked: String) {
        guard json["kind"]?.text.map({ $0 == "androidpublisher#productPurchase" }) ?? true,
            let time = json["purchaseTimeMillis"].flatMap({ $0.integer ?? $0.text.flatMap { Int($0) } }),
            (0..<100_000_000_000_000).contains(time)
        else { return nil }
        product = json["productId"]?.text ?? asked
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

    func answer(_ question: GoogleQuestion, in store: StoreName, at moment: Date) -> GoogleAnswer {
        let id = GooglePurchaseID.transaction(order: order ?? question.order, token: question.token)
        // 0 is purchased and 1 taken back; a pending one was not paid for yet.
        guard [0, 1].contains(state) else { return .refused(ReceiptRefusal(.empty)) }
        return .found([
            StoreTransaction(
                store: store, id: id, original: GooglePurchaseID.original(of: id), product: product,
                purchased: purchased, revoked: state == 1 ? moment : nil, quantity: quantity,
                environment: isTest ? .sandbox : .production,
                awaitsAcknowledgement: awaitsAcknowledgement && state == 0, told: moment)
        ])
    }
}
