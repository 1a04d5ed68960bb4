public import Foundation

/// An account.
///
/// Source: InPlayer protocol, “Account document”.
public struct Account: Sendable, Hashable, Codable {
    public let id: Int
    /// The identifier of the account in other services, including notifications.
    public let uuid: String?
    public let email: String?
    public let username: String?
    public let fullName: String?
    public let referrer: String?
    /// The roles, such as `consumer`.
    public let roles: [String]
    /// A Boolean value that indicates whether all registration fields of the merchant are filled in.
    public let isCompleted: Bool?
    public let created: Date?
    public let updated: Date?
    public let merchantID: Int?
    public let merchantUUID: String?
    /// The date of birth as `YYYY-MM-DD`, if the merchant requires it.
    public let dateOfBirth: String?
    /// The values of the merchant's own registration fields.
    public let metadata: [String: String]
}

extension Account: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = try response.required("id", \.integer)
        uuid = response["uuid"]?.text
        email = response["email"]?.text
        username = response["username"]?.text
        fullName = response["full_name"]?.text
        referrer = response["referrer"]?.text
        roles = (response["roles"]?.list ?? []).compactMap(\.text)
        isCompleted = response["completed"]?.flag
        created = response["created_at"]?.timestamp
        updated = response["updated_at"]?.timestamp
        merchantID = response["merchant_id"]?.integer
        merchantUUID = response["merchant_uuid"]?.text
        dateOfBirth = response["date_of_birth"]?.text
        metadata = response["metadata"]?.texts ?? [:]
    }
}
