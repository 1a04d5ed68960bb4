public import Foundation

/// A price of access.
///
/// Source: InPlayer protocol, “Access fee document”.
public struct AccessFee: Sendable, Hashable {
    /// The duration of access.
    public struct AccessType: Sendable, Hashable {
        public let id: Int?
        /// The name, such as `ppv`, `ppv_custom` or `subscription`.
        public let name: String?
        /// The unit of the period, such as `month`.
        public let period: String?
        public let quantity: Int?
    }

    /// A free period at the start.
    public struct Trial: Sendable, Hashable {
        public let period: String?
        public let quantity: Int?
    }

    /// The same price in an app store.
    public struct External: Sendable, Hashable {
        public let id: Int?
        /// InPlayer's number of the store.
        public let providerID: Int?
        /// The product's identifier in the store.
        public let product: String?
    }

    public let id: Int
    public let itemID: Int?
    public let merchantID: Int?
    /// The amount in whole units of the currency.
    public let amount: Decimal?
    /// The currency by ISO 4217.
    public let currency: String?
    public let description: String?
    public let accessType: AccessType?
    public let trial: Trial?
    /// The fee paid once at the start of a subscription.
    public let setupFee: Decimal?
    public let external: [External]
    public let starts: Date?
    public let expires: Date?
}

extension AccessFee: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = try response.required("id", \.integer)
        itemID = response["item"]?["id"]?.integer ?? response["item_id"]?.integer
        merchantID = response["merchant_id"]?.integer
        amount = response["amount"]?.amount
        currency = response["currency"]?.text
        description = response["description"]?.text
        accessType = response.model("access_type")
        trial = response.model("trial_period")
        setupFee = response["setup_fee"]?["fee_amount"]?.amount
        external = response.models("external_fees")
        starts = response["starts_at"]?.timestamp
        expires = response["expires_at"]?.end
    }
}

extension AccessFee.AccessType: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = response["id"]?.integer
        name = response["name"]?.text
        period = response["period"]?.text
        quantity = response["quantity"]?.integer
    }
}

extension AccessFee.Trial: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        period = response["period"]?.text
        quantity = response["quantity"]?.integer
    }
}

extension AccessFee.External: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = response["id"]?.integer
        providerID = response["payment_provider_id"]?.integer
        product = response["external_id"]?.text
    }
}
