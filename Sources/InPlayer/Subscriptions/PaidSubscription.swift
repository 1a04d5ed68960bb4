public import Foundation

/// A subscription with recurring payments. Member names differ between versions of the service, and both versions
/// are read.
public struct PaidSubscription: Sendable, Hashable {
    public let itemID: Int?
    public let itemTitle: String?
    /// The status, such as `active`.
    public let status: String?
    public let description: String?
    public let amount: Decimal?
    /// The amount for display, such as `€3.00`.
    public let formattedAmount: String?
    public let currency: String?
    public let merchantID: Int?
    public let created: Date?
    public let updated: Date?
    public let nextPayment: Date?
    /// The URL that cancels the subscription.
    let unsubscribeURL: String?

    /// A Boolean value that indicates whether the subscription can be cancelled with this library.
    public var canBeCancelled: Bool { unsubscribeURL != nil }
}

extension PaidSubscription: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        guard case .object = response else { throw UnreadableResponse(missing: "item_id") }
        itemID = response["item_id", or: "asset_id"]?.integer
        itemTitle = response["item_title", or: "asset_title"]?.text
        status = response["status"]?.text
        description = response["description"]?.text
        amount = response["charged_amount", or: "amount"]?.amount
        formattedAmount = response["formatted_amount"]?.text
        currency = response["currency"]?.text
        merchantID = response["merchant_id"]?.integer
        created = response["created_at"]?.timestamp
        updated = response["updated_at"]?.timestamp
        nextPayment = response["next_rebill_date", or: "next_billing_date"]?.timestamp
        unsubscribeURL = response["unsubscribe_url"]?.text
    }
}
