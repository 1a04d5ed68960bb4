public import Foundation

/// Somebody's access to an item (PROTOCOLS 5.3).
public struct ItemAccess: Sendable, Hashable {
    public let id: Int?
    public let accountID: Int?
    public let customerID: Int?
    public let customerUUID: String?
    /// ISO 3166-1, two letters.
    public let country: String?
    public let created: Date?
    /// Nil when it has run from the beginning.
    public let starts: Date?
    /// Nil when it does not end.
    public let expires: Date?
    public let item: Asset?
}

extension ItemAccess: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        // An error that came with a good status is no access.
        let item: Asset? = answer.model("item")
        let id = answer["id"]?.integer
        guard id != nil || item != nil else { throw UnreadableAnswer(missing: "item") }
        self.id = id
        self.item = item
        accountID = answer["account_id"]?.integer
        customerID = answer["customer_id"]?.integer
        customerUUID = answer["customer_uuid"]?.text
        country = answer["country_code"]?.text
        created = answer["created_at"]?.moment
        starts = answer["starts_at"]?.moment
        expires = answer["expires_at"]?.end
    }
}
