import Gatefold
import JSON

/// The prices of an item (PROTOCOLS 5.3).
enum AccessFeeDocument {
    /// - Parameter nested: inside the item, which is then not repeated.
    static func values(
        _ item: InPlayerItem, _ settings: InPlayerSettings, site: DownloadSite?, nested: Bool = false
    ) -> [JSONValue] {
        item.fees.map { fee in
            let price = fee.price
            let members: [JSONValue.Member?] = [
                .init(name: "id", value: .whole(fee.number)),
                .init(name: "merchant_id", value: .whole(settings.merchantNumber)),
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
                            "id": .whole(fee.number), "payment_provider_id": 0, "access_fee_id": .whole(fee.number),
                            "external_id": .string(fee.product), "merchant_id": .whole(settings.merchantNumber),
                        ]
                    ]), .init(name: "voucher_rule", value: .null), .init(name: "starts_at", value: 0),
                .init(name: "expires_at", value: 0),
                // A text, unlike an item's own.
                .init(name: "item_type", value: .string(item.kind.name)),
            ]
            return .object(members.compactMap(\.self))
        }
    }

    static func name(_ price: InPlayerFee?) -> String { price?.term == nil ? "ppv" : "subscription" }

    /// iOS reads `fee_amount` as an `Int`: what it is exactly stands in the description.
    private static func setupFee(
        _ amount: InPlayerFee.Amount, _ price: InPlayerFee, numbered number: Int64
    ) -> JSONValue {
        [
            "id": .whole(number), "fee_amount": .whole(amount.wholeUnits),
            "description": .string(price.formatted(amount)),
        ]
    }

    static func accessType(_ price: InPlayerFee, _ settings: InPlayerSettings) -> JSONValue {
        [
            "id": .whole(price.term == nil ? 1 : 2), "account_id": .whole(settings.merchantNumber),
            "name": .string(name(price)), "period": .string(price.term?.period ?? ""),
            "quantity": .whole(price.term?.quantity ?? 1),
        ]
    }

    /// Of what has no price here.
    static let noType: JSONValue = ["id": 0, "name": "subscription", "period": "", "quantity": 1]

    private static func term(_ term: InPlayerFee.Term) -> JSONValue {
        ["quantity": .whole(term.quantity), "period": .string(term.period), "description": ""]
    }
}
