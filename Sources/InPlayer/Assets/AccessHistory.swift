public import Foundation

/// Something that somebody bought once.
public struct HistoricAccess: Sendable, Hashable {
    /// Which entries are wanted.
    public enum Status: String, Sendable {
        case all, active, inactive
    }

    public let itemID: Int
    public let itemTitle: String?
    public let accessFeeID: Int?
    /// Such as `ppv`.
    public let accessFeeType: String?
    public let description: String?
    public let amount: Decimal?
    public let currency: String?
    public let paymentMethod: String?
    public let created: Date?
    public let starts: Date?
    /// Nil when it does not end.
    public let expires: Date?
    public let isRevoked: Bool?
    public let isTrial: Bool?
}

extension HistoricAccess: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        itemID = try answer.required("item_id", \.integer)
        itemTitle = answer["item_title"]?.text
        accessFeeID = answer["purchased_access_fee_id"]?.integer
        accessFeeType = answer["purchased_access_fee_type"]?.text
        description = answer["purchase_access_fee_description", or: "purchased_access_fee_description"]?.text
        amount = answer["purchased_amount"]?.amount
        currency = answer["purchased_currency"]?.text
        paymentMethod = answer["payment_method"]?.text
        created = answer["created_at"]?.moment
        starts = answer["starts_at"]?.moment
        expires = answer["expires_at"]?.end
        isRevoked = answer["revoked"]?.flag
        isTrial = answer["is_trial"]?.flag
    }
}
