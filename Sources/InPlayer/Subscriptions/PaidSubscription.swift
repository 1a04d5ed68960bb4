public import Foundation

/// Something that somebody pays for again and again. Names vary between the service's versions, and both are read.
public struct PaidSubscription: Sendable, Hashable {
    public let itemID: Int?
    public let itemTitle: String?
    /// Such as `active`.
    public let status: String?
    public let description: String?
    public let amount: Decimal?
    /// As to be shown, such as `€3.00`.
    public let formattedAmount: String?
    public let currency: String?
    public let merchantID: Int?
    public let created: Date?
    public let updated: Date?
    public let nextPayment: Date?
    /// What ends it.
    let unsubscribeURL: String?

    /// Whether it can be ended from here.
    public var canBeCancelled: Bool { unsubscribeURL != nil }
}

extension PaidSubscription: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        guard case .object = answer else { throw UnreadableAnswer(missing: "item_id") }
        itemID = answer["item_id", or: "asset_id"]?.integer
        itemTitle = answer["item_title", or: "asset_title"]?.text
        status = answer["status"]?.text
        description = answer["description"]?.text
        amount = answer["charged_amount", or: "amount"]?.amount
        formattedAmount = answer["formatted_amount"]?.text
        currency = answer["currency"]?.text
        merchantID = answer["merchant_id"]?.integer
        created = answer["created_at"]?.moment
        updated = answer["updated_at"]?.moment
        nextPayment = answer["next_rebill_date", or: "next_billing_date"]?.moment
        unsubscribeURL = answer["unsubscribe_url"]?.text
    }
}
