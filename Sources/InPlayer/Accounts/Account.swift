public import Foundation

/// Somebody's account (PROTOCOLS 5.3).
public struct Account: Sendable, Hashable, Codable {
    public let id: Int
    /// Names the account to other services, notifications among them.
    public let uuid: String?
    public let email: String?
    public let username: String?
    public let fullName: String?
    public let referrer: String?
    /// Such as `consumer`.
    public let roles: [String]
    /// Whether all that the merchant asks for was filled in.
    public let isCompleted: Bool?
    public let created: Date?
    public let updated: Date?
    public let merchantID: Int?
    public let merchantUUID: String?
    /// As a day, `YYYY-MM-DD`, where the merchant asks for it.
    public let dateOfBirth: String?
    /// What the merchant's own registration fields hold.
    public let metadata: [String: String]
}

extension Account: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = try answer.required("id", \.integer)
        uuid = answer["uuid"]?.text
        email = answer["email"]?.text
        username = answer["username"]?.text
        fullName = answer["full_name"]?.text
        referrer = answer["referrer"]?.text
        roles = (answer["roles"]?.list ?? []).compactMap(\.text)
        isCompleted = answer["completed"]?.flag
        created = answer["created_at"]?.moment
        updated = answer["updated_at"]?.moment
        merchantID = answer["merchant_id"]?.integer
        merchantUUID = answer["merchant_uuid"]?.text
        dateOfBirth = answer["date_of_birth"]?.text
        metadata = answer["metadata"]?.texts ?? [:]
    }
}
