public import Foundation

/// A price at which access is sold (PROTOCOLS 5.3).
public struct AccessFee: Sendable, Hashable {
    /// How long access lasts.
    public struct AccessType: Sendable, Hashable {
        public let id: Int?
        /// Such as `ppv`, `ppv_custom` and `subscription`.
        public let name: String?
        /// Such as `month`.
        public let period: String?
        public let quantity: Int?
    }

    /// Access for nothing at first.
    public struct Trial: Sendable, Hashable {
        public let period: String?
        public let quantity: Int?
    }

    /// The same price in an app store.
    public struct External: Sendable, Hashable {
        public let id: Int?
        /// InPlayer's number of the store.
        public let providerID: Int?
        /// The product's identifier there.
        public let product: String?
    }

    public let id: Int
    public let itemID: Int?
    public let merchantID: Int?
    /// In whole units of the currency.
    public let amount: Decimal?
    /// ISO 4217.
    public let currency: String?
    public let description: String?
    public let accessType: AccessType?
    public let trial: Trial?
    /// Paid once at the start of a subscription.
    public let setupFee: Decimal?
    public let external: [External]
    public let starts: Date?
    public let expires: Date?
}

extension AccessFee: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = try answer.required("id", \.integer)
        itemID = answer["item"]?["id"]?.integer ?? answer["item_id"]?.integer
        merchantID = answer["merchant_id"]?.integer
        amount = answer["amount"]?.amount
        currency = answer["currency"]?.text
        description = answer["description"]?.text
        accessType = answer.model("access_type")
        trial = answer.model("trial_period")
        setupFee = answer["setup_fee"]?["fee_amount"]?.amount
        external = answer.models("external_fees")
        starts = answer["starts_at"]?.moment
        expires = answer["expires_at"]?.end
    }
}

extension AccessFee.AccessType: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = answer["id"]?.integer
        name = answer["name"]?.text
        period = answer["period"]?.text
        quantity = answer["quantity"]?.integer
    }
}

extension AccessFee.Trial: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        period = answer["period"]?.text
        quantity = answer["quantity"]?.integer
    }
}

extension AccessFee.External: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = answer["id"]?.integer
        providerID = answer["payment_provider_id"]?.integer
        product = answer["external_id"]?.text
    }
}
