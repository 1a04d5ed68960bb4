public import Foundation

/// A past purchase of access.
public struct HistoricAccess: Sendable, Hashable {
    /// The filter for entries of the history.
    public enum Status: String, Sendable {
        case all, active, inactive
    }

    public let itemID: Int
    public let itemTitle: String?
    public let accessFeeID: Int?
    /// The type, such as `ppv`.
    public let accessFeeType: String?
    public let description: String?
    public let amount: Decimal?
    public let currency: String?
    public let paymentMethod: String?
    public let created: Date?
    public let starts: Date?
    /// The end of access, or nil if access does not end.
    public let expires: Date?
    public let isRevoked: Bool?
    public let isTrial: Bool?
}

extension HistoricAccess: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        itemID = try response.required("item_id", \.integer)
        itemTitle = response["item_title"]?.text
        accessFeeID = response["purchased_access_fee_id"]?.integer
        accessFeeType = response["purchased_access_fee_type"]?.text
        description = response["purchase_access_fee_description", or: "purchased_access_fee_description"]?.text
        amount = response["purchased_amount"]?.amount
        currency = response["purchased_currency"]?.text
        paymentMethod = response["payment_method"]?.text
        created = response["created_at"]?.timestamp
        starts = try response.beginning("starts_at")
        expires = try response.ending("expires_at")
        isRevoked = response["revoked"]?.flag
        // An unreadable value may mean that access is revoked.
        if isRevoked == nil, response["revoked"] != nil {
            throw UnreadableResponse("revoked", expected: "true or false")
        }
        isTrial = response["is_trial"]?.flag
    }
}
