public import Foundation

/// A product for sale. InPlayer's API calls it an item.
///
/// Source: InPlayer protocol, “Item document”.
public struct Asset: Sendable, Hashable {
    /// The type of an asset.
    public struct Kind: Sendable, Hashable {
        public let id: Int?
        /// The name, such as `html_asset`.
        public let name: String?
        /// The content type, such as `html`.
        public let contentType: String?
        public let host: String?
        public let description: String?
    }

    /// The access rule of an asset.
    public struct AccessControl: Sendable, Hashable {
        public let id: Int?
        public let name: String?
        /// A Boolean value that indicates whether access requires an account.
        public let needsAccount: Bool?
    }

    public let id: Int
    public let title: String
    public let isActive: Bool?
    public let merchantID: Int?
    public let merchantUUID: String?
    public let kind: Kind?
    public let accessControl: AccessControl?
    /// The minimum age in years.
    public let minAge: Int?
    /// The content, for most types a JSON text. Present only for readers with access.
    public let content: String?
    /// The merchant's metadata. The names of `metahash` take precedence over those of `metadata`.
    public let metadata: [String: String]
    public let accessFees: [AccessFee]
    public let created: Date?
    public let updated: Date?
}

extension Asset: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = try response.required("id", \.integer)
        title = response["title"]?.text ?? ""
        isActive = response["is_active", or: "active"]?.flag
        merchantID = response["merchant_id"]?.integer
        merchantUUID = response["merchant_uuid"]?.text
        kind = response.model("item_type")
        accessControl = response.model("access_control_type")
        minAge = response["age_restriction"]?["min_age"]?.integer
        content = response["content"]?.text
        metadata = (response["metahash"]?.texts ?? [:]).merging(response["metadata"]?.texts ?? [:]) { first, _ in first
        }
        accessFees = response.models("access_fees")
        created = response["created_at"]?.timestamp
        updated = response["updated_at"]?.timestamp
    }
}

extension Asset.Kind: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = response["id"]?.integer
        name = response["name"]?.text
        contentType = response["content_type"]?.text
        host = response["host"]?.text
        description = response["description"]?.text
    }
}

extension Asset.AccessControl: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = response["id"]?.integer
        name = response["name"]?.text
        needsAccount = response["auth"]?.flag
    }
}
