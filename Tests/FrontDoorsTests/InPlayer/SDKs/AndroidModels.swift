import Accounts

/// The Gson models of InPlayer's Android SDK, with its field names, types and optionality.
///
/// Source: inplayer-org/inplayer-android-sdk, `Data/src/main/java/com/sdk/data/model` and `Notification`. `Int` has 32
/// bits and no fraction. A non-optional member here is one that the SDK passes to Kotlin without a null check, which
/// throws.
enum AndroidModels {
    /// A `String` as Gson reads it: numbers are accepted, too.
    struct Text: Decodable {
        let value: String

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if let number = try? single.decode(Double.self) {
                value = String(number)
            } else {
                value = try single.decode(String.self)
            }
        }
    }

    /// An `Int` as Gson reads it: quoted digits are accepted, too.
    struct Whole: Decodable {
        let value: Int32

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if let text = try? single.decode(String.self) {
                guard let number = Int32(text) else {
                    throw DecodingError.dataCorruptedError(in: single, debugDescription: "\(text) is no Int")
                }
                value = number
            } else {
                value = try single.decode(Int32.self)
            }
        }
    }

    /// The response of calls without a result.
    struct Response: Decodable {
        let code: Int32
        let message: String
        /// RxJava maps the responses to a changed and to a forgotten password to this member, and fails on null.
        let explain: String
    }

    struct Account: Decodable {
        let id: Int64
        let email: String
        let full_name: String
        let referrer: String
        let roles: [String]
        let completed: Bool
        let created_at: Int64
        let updated_at: Int64
        let merchant_id: Text
        let merchant_uuid: String
        let metadata: [String: String]
        let uuid: String
        let username: String
    }

    struct Authorization: Decodable {
        let access_token: String
        let refresh_token: String
        let account: Account
        let expires: Int64
    }

    struct RegisterFields: Decodable {
        struct Field: Decodable {
            let default_value: String
            let id: Int32
            let label: String
            let name: String
            let placeholder: String
            let required: Bool
            let type: String
            let options: [String: String]
        }

        let collection: [Field]
        let total: Int32
        let page: Int32
        let offset: Int32
        let limit: Int32
    }

    struct SocialAddresses: Decodable { let social_urls: [[String: String]] }

    struct AccessControlType: Decodable {
        let id: Int64
        let name: String
        let auth: Bool
    }

    struct ItemType: Decodable {
        let id: Int64
        let name: String?
        let content_type: String?
        let host: String?
        let description: String?
    }

    struct Item: Decodable {
        struct Metadata: Decodable {
            let id: Int32
            let name: String
            let value: String
        }

        let id: Int64
        let merchant_id: Int64
        let merchant_uuid: String
        let is_active: Bool
        let title: String
        let created_at: Int64
        let updated_at: Int64
        let access_fees: [AccessFee]
        let access_control_type: AccessControlType
        let item_type: ItemType
        let content: String?
        let metahash: [String: String]
        let metadata: [Metadata]
    }

    final class BoxedItem: Decodable {
        let item: Item

        init(from decoder: any Decoder) throws { item = try Item(from: decoder) }
    }

    struct AccessFee: Decodable {
        struct AccessType: Decodable {
            let id: Int64
            let name: String
            let quantity: Int32
            let period: String
        }

        struct TrialPeriod: Decodable {
            let quantity: Int32
            let period: String?
            let description: String?
        }

        /// The SDK reads `fee_amount` as `feeAmount`, and therefore never finds it.
        struct SetupFee: Decodable { let description: String }

        struct ExternalFee: Decodable {
            let id: Int64?
            let payment_provider_id: Int64?
            let access_fee_id: Int64?
            let external_id: String?
            let merchant_id: Int64
        }

        let id: Int64
        let merchant_id: Int64
        let amount: Float
        let currency: String
        let description: String
        let access_type: AccessType
        /// Absent inside an item.
        let item: BoxedItem?
        let item_type: String
        let trial_period: TrialPeriod?
        let setup_fee: SetupFee?
        let starts_at: Int64?
        let external_fees: [ExternalFee]?
    }

    struct ItemAccess: Decodable {
        let id: Int64
        let account_id: Int64
        let customer_id: Int64
        let customer_uuid: String
        let ip_address: String
        let country_code: String
        let created_at: Int64
        let expires_at: Int64
        let item: Item
    }

    struct PurchaseHistory: Decodable {
        struct Entry: Decodable {
            let consumer_email: String
            let created_at: Int32
            let customer_id: Int32
            let expires_at: Int64
            let is_trial: Bool
            let item_access_id: Int32
            let item_id: Int32
            let item_title: String
            let merchant_id: Int32
            let parent_resource_id: String
            let payment_method: String
            let payment_tool: String
            let purchased_access_fee_description: String
            let purchased_access_fee_id: Int32
            let purchased_access_fee_type: String
            let purchased_amount: Double
            let purchased_currency: String
            let revoked: Int32
            let starts_at: Int64
            let type: String
        }

        let total: Int32
        let collection: [Entry]
    }

    struct Subscriptions: Decodable {
        struct Subscription: Decodable {
            let amount: Int32
            let item_id: Int32
            let item_title: String?
            let cancel_token: String?
            let action_type: String
            let created_at: Int64
            let currency: String?
            let description: String?
            let formatted_amount: String?
            let merchant_id: Int32
            let next_rebill_date: Int64
            let status: String?
            let unsubscribe_url: String?
            let updated_at: Int64
        }

        let total: Int32
        let page: Int32
        let offset: Int32
        let limit: Int32
        let collection: [Subscription]
    }

    struct PaymentSuccess: Decodable {
        let access_fee_id: Int32
        let amount: Text
        let code: Whole
        let currency_iso: String
        let customer_id: Int32
        let description: String?
        let discount_percent: Int32
        let email: String?
        let formatted_amount: String?
        let full_amount: Text
        let item_id: Int32
        let next_rebill_date: Int64
        let payment_method: String?
        let previewTitle: String?
        let status: String?
        let timestamp: Int64
        let transaction: String?
        let voucher_code: String?
    }

    struct PaymentFailed: Decodable {
        let code: Whole
        let explain: String?
        let message: String?
    }

    struct Notification<Resource: Decodable>: Decodable {
        let type: String
        let timestamp: Int64
        let resource: Resource
    }
}
