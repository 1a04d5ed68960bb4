public import Foundation

/// Something that is sold: an item, in the words of InPlayer's API (PROTOCOLS 5.3).
public struct Asset: Sendable, Hashable {
    /// What kind of thing it is.
    public struct Kind: Sendable, Hashable {
        public let id: Int?
        /// Such as `html_asset`.
        public let name: String?
        /// Such as `html`.
        public let contentType: String?
        public let host: String?
        public let description: String?
    }

    /// Who may open it.
    public struct AccessControl: Sendable, Hashable {
        public let id: Int?
        public let name: String?
        /// Whether one must be signed in.
        public let needsAccount: Bool?
    }

    public let id: Int
    public let title: String
    public let isActive: Bool?
    public let merchantID: Int?
    public let merchantUUID: String?
    public let kind: Kind?
    public let accessControl: AccessControl?
    /// In years.
    public let leastAge: Int?
    /// The content itself, for most kinds a JSON text; only for whoever has access.
    public let content: String?
    /// What the merchant wrote down about it, the later names of `metahash` before those of `metadata`.
    public let metadata: [String: String]
    public let accessFees: [AccessFee]
    public let created: Date?
    public let updated: Date?
}

extension Asset: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = try answer.required("id", \.integer)
        title = answer["title"]?.text ?? ""
        isActive = answer["is_active", or: "active"]?.flag
        merchantID = answer["merchant_id"]?.integer
        merchantUUID = answer["merchant_uuid"]?.text
        kind = answer.model("item_type")
        accessControl = answer.model("access_control_type")
        leastAge = answer["age_restriction"]?["min_age"]?.integer
        content = answer["content"]?.text
        metadata = (answer["metahash"]?.texts ?? [:]).merging(answer["metadata"]?.texts ?? [:]) { first, _ in first }
        accessFees = answer.models("access_fees")
        created = answer["created_at"]?.moment
        updated = answer["updated_at"]?.moment
    }
}

extension Asset.Kind: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = answer["id"]?.integer
        name = answer["name"]?.text
        contentType = answer["content_type"]?.text
        host = answer["host"]?.text
        description = answer["description"]?.text
    }
}

extension Asset.AccessControl: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = answer["id"]?.integer
        name = answer["name"]?.text
        needsAccount = answer["auth"]?.flag
    }
}
