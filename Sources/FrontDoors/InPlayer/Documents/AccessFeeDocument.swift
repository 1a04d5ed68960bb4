import JSON

/// The prices of an item.
///
/// Source: InPlayer protocol, “Access fee document”.
enum AccessFeeDocument {
    /// - Parameter nested: Whether the prices are inside the item, which is then not repeated.
    static func values(
        _ item: InPlayerItem, _ settings: InPlayerSettings, site: DownloadSite?, nested: Bool = false
    ) -> [JSONValue] {
        item.fees.map { fee in
            let price = fee.price
            let members: [JSONValue.Member?] = [
                .init(name: "id", value: .integer(fee.number)),
                .init(name: "merchant_id", value: .integer(settings.merchantNumber)),
                .init(name: "amount", value: .number(price.amount.description)),
                .init(name: "currency", value: .string(price.currency)),
                .init(name: "description", value: .string(price.text)),
                .init(name: "access_type", value: accessType(price, settings)),
                nested
                    ? nil : .init(name: "item", value: ItemDocument.value(item, settings, site: site, isPriced: false)),
                .init(name: "trial_period", value: price.trial.map(term) ?? .null),
                .init(
                    name: "setup_fee",
                    value: price.setupFee.map { setupFee($0, price, numbered: fee.number) } ?? .null),
                .init(name: "geo_restriction", value: .null), .init(name: "seasonal_fee", value: .null),
                .init(
                    name: "external_fees",
                    value: [
                        [
                            "id": .integer(fee.number), "payment_provider_id": 0, "access_fee_id": .integer(fee.number),
                            "external_id": .string(fee.product), "merchant_id": .integer(settings.merchantNumber),
                        ]
                    ]), .init(name: "voucher_rule", value: .null), .init(name: "starts_at", value: 0),
                .init(name: "expires_at", value: 0),
                // This value is a text, unlike the `item_type` of an item.
                .init(name: "item_type", value: .string(item.kind.name)),
            ]
            return .object(members.compactMap(\.self))
        }
    }

    static func name(_ price: InPlayerFee?) -> String { price?.term == nil ? "ppv" : "subscription" }

    /// Returns the setup fee. iOS reads `fee_amount` as an `Int`, so the description contains the exact amount.
    private static func setupFee(
        _ amount: InPlayerFee.Amount, _ price: InPlayerFee, numbered number: Int64
    ) -> JSONValue {
        [
            "id": .integer(number), "fee_amount": .integer(amount.roundedUnits),
            "description": .string(price.formatted(amount)),
        ]
    }

    static func accessType(_ price: InPlayerFee, _ settings: InPlayerSettings) -> JSONValue {
        [
            "id": .integer(price.term == nil ? 1 : 2), "account_id": .integer(settings.merchantNumber),
            "name": .string(name(price)), "period": .string(price.term?.period ?? ""),
            "quantity": .integer(price.term?.quantity ?? 1),
        ]
    }

    /// The access type of a product without a price here.
    static let noType: JSONValue = ["id": 0, "name": "subscription", "period": "", "quantity": 1]

    private static func term(_ term: InPlayerFee.Term) -> JSONValue {
        ["quantity": .integer(term.quantity), "period": .string(term.period), "description": ""]
    }
}
