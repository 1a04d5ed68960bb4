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
        guard case .object = answer else { throw UnreadableAnswer(missing: "item") }
        id = answer["id"]?.integer
        accountID = answer["account_id"]?.integer
        customerID = answer["customer_id"]?.integer
        customerUUID = answer["customer_uuid"]?.text
        country = answer["country_code"]?.text
        created = answer["created_at"]?.moment
        starts = answer["starts_at"]?.moment
        expires = Self.end(answer["expires_at"])
        item = answer.model("item")
    }

    /// 0 is written where there is no end.
    private static func end(_ answer: Answer?) -> Date? {
        answer?.moment.flatMap { $0.timeIntervalSince1970 == 0 ? nil : $0 }
    }
}
