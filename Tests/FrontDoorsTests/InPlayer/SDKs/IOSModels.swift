import Accounts

/// The `Codable` models of InPlayer's iOS SDK 3.0.7, with its field names, types and optionality.
///
/// Source: inplayer-org/inplayer-ios-sdk, `Source/Core/Models`, `Source/Payment/Models` and
/// `Source/Notification/Models`. A missing or null member is nil there; a member of another type fails the whole
/// document. `AccessFee` is the union of two releases: 2.x declares `item_type`, which 3.x dropped.
enum IOSModels {
    struct Account: Decodable {
        let completed: Bool?
        let created_at: Double?
        let email: String?
        let full_name: String?
        let username: String?
        let id: Int?
        let referrer: String?
        let roles: [String]?
        let updated_at: Double?
        let uuid: String?
        let merchant_id: Int?
        let merchant_uuid: String?
        let metadata: [String: String]?
    }

    struct Authorization: Decodable {
        let access_token: String?
        let refresh_token: String?
        let account: Account?
        let expires: Double?
    }

    struct RegisterFields: Decodable {
        struct Field: Decodable {
            let default_value: String?
            let id: Int?
            let label: String?
            let name: String?
            let placeholder: String?
            let required: Bool?
            let type: String
            let options: [String: String]?
        }

        let collection: [Field]?
    }

    struct SocialAddresses: Decodable { let social_urls: [[String: String]]? }

    struct AccessControlType: Decodable {
        let id: Int?
        let name: String?
        let auth: Bool?
    }

    struct ItemType: Decodable {
        let content_type: String?
        let description: String?
        let host: String?
        let id: Int?
        let name: String?
    }

    struct Item: Decodable {
        struct Metadata: Decodable {
            let id: Int?
            let name: String?
            let value: String?
        }

        let access_control_type: AccessControlType?
        let created_at: Double?
        let id: Int?
        let is_active: Bool?
        let item_type: ItemType?
        let merchant_id: Int?
        let merchant_uuid: String?
        let metadata: [Metadata]?
        let metahash: [String: String]?
        let title: String?
        let updated_at: Double?
        let content: String?
        let access_fees: [AccessFee]?
    }

    struct ItemAccess: Decodable {
        let account_id: Int?
        let country_code: String?
        let created_at: Double?
        let customer_id: Int?
        let customer_uuid: String?
        let expires_at: Double?
        let id: Int?
        let ip_address: String?
        let item: Item?
        let starts_at: Double?
    }

    struct AccessFee: Decodable {
        struct AccessType: Decodable {
            let id: Int?
            let name: String?
            let period: String?
            let quantity: Int?
        }

        struct TrialPeriod: Decodable {
            let description: String?
            let period: String?
            let quantity: Int?
        }

        struct SetupFee: Decodable {
            let description: String?
            let fee_amount: Int?
        }

        struct ExternalFee: Decodable {
            let id: Int?
            let payment_provider_id: Int?
            let access_fee_id: Int?
            let external_id: String?
            let merchant_id: Int?
        }

        /// An object without known members.
        struct Nothing: Decodable {}

        let id: Int?
        let merchant_id: Int?
        let amount: Double?
        let currency: String?
        let description: String?
        let item: BoxedItem?
        let item_type: String?
        let access_type: AccessType?
        let trial_period: TrialPeriod?
        let setup_fee: SetupFee?
        let geo_restriction: Nothing?
        let seasonal_fee: Nothing?
        let voucher_rule: Nothing?
        let external_fees: [ExternalFee]?
        let expires_at: Double?
        let starts_at: Double?
    }

    /// An item inside a fee, which may have fees itself.
    final class BoxedItem: Decodable {
        let item: Item

        init(from decoder: any Decoder) throws { item = try Item(from: decoder) }
    }

    struct Subscriptions: Decodable {
        /// The union of 2.x, which reads `asset_…`, `amount` and `next_billing_date`, and of 3.x.
        struct Subscription: Decodable {
            let cancel_token: String?
            let status: String?
            let description: String?
            let asset_title: String?
            let asset_id: Int?
            let item_title: String?
            let item_id: Int?
            let formatted_amount: String?
            let amount: Float?
            let charged_amount: Float?
            let currency: String?
            let merchant_id: Int?
            let created_at: Double?
            let updated_at: Double?
            let next_billing_date: Double?
            let next_rebill_date: Double?
            let unsubscribe_url: String?
        }

        let collection: [Subscription]?
        let limit: Int?
        let offset: Int?
        let page: Int?
        let total: Int?
    }

    struct PurchaseHistory: Decodable {
        struct Entry: Decodable {
            let consumer_email: String?
            let created_at: Int?
            let customer_id: Int?
            let expires_at: Int?
            let is_trial: Bool?
            let item_access_id: Int?
            let item_id: Int?
            let item_title: String?
            let merchant_id: Int?
            let parent_resource_id: String?
            let payment_method: String?
            let payment_tool: String?
            let purchased_access_fee_description: String?
            let purchased_access_fee_id: Int?
            let purchased_access_fee_type: String?
            let purchased_amount: Double?
            let purchased_currency: String?
            let revoked: Int?
            let starts_at: Int?
            let type: String?
        }

        let collection: [Entry]?
        let total: Int?
    }

    struct Notification: Decodable {
        struct ItemRevoked: Decodable { let item_id: Int? }

        struct PaymentSuccess: Decodable {
            let item_id: Int?
            let previewTitle: String?
            let access_fee_id: Int?
            let transaction: String?
            let email: String?
            let customer_id: Int?
            let formatted_amount: String?
            let amount: Double?
            let full_amount: Double?
            let next_rebill_date: Double?
            let payment_method: String?
            let currency_iso: String?
            let status: String?
            let voucher_code: String?
            let timestamp: Double?
            let code: Int?
            let discount_percent: Int?
        }

        struct PaymentFailed: Decodable {
            let message: String?
            let explain: String?
            let code: String?
        }

        let type: String
        let timestamp: Double
        private(set) var success: PaymentSuccess?
        private(set) var failure: PaymentFailed?
        private(set) var access: ItemAccess?
        private(set) var revoked: ItemRevoked?

        private enum CodingKeys: CodingKey {
            case type, timestamp, resource
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            type = try values.decode(String.self, forKey: .type)
            timestamp = try values.decode(Double.self, forKey: .timestamp)
            switch type {
            case "access.granted": access = try values.decode(ItemAccess.self, forKey: .resource)
            case "access.revoked": revoked = try values.decode(ItemRevoked.self, forKey: .resource)
            case "external.payment.success": success = try values.decode(PaymentSuccess.self, forKey: .resource)
            case "external.payment.failed": failure = try values.decode(PaymentFailed.self, forKey: .resource)
            default: break
            }
        }
    }
}
