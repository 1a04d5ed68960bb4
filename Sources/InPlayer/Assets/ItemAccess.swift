public import Foundation

/// An account's access to an item.
///
/// Source: InPlayer protocol, “Access document”.
public struct ItemAccess: Sendable, Hashable {
    public let id: Int?
    public let accountID: Int?
    public let customerID: Int?
    public let customerUUID: String?
    /// The country by ISO 3166-1, two letters.
    public let country: String?
    public let created: Date?
    /// The start of access, or nil if access has no start date.
    public let starts: Date?
    /// The end of access, or nil if access does not end.
    public let expires: Date?
    public let item: Asset?
}

extension ItemAccess: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        // An error document with a success status must not count as access.
        let item: Asset? = response.model("item")
        let id = response["id"]?.integer
        guard id != nil || item != nil else { throw UnreadableResponse(missing: "item") }
        self.id = id
        self.item = item
        accountID = response["account_id"]?.integer
        customerID = response["customer_id"]?.integer
        customerUUID = response["customer_uuid"]?.text
        country = response["country_code"]?.text
        created = response["created_at"]?.timestamp
        starts = try response.beginning("starts_at")
        expires = try response.ending("expires_at")
    }
}
