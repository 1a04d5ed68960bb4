import Accounts
import Commerce
import Foundation
import Gatefold
import Hummingbird
import JSON

extension InPlayerRequestHandler {
    /// A page of a list: `page` counts from 0, and `size` or `limit` is the number of entries, because SDKs use
    /// different names.
    ///
    /// Source: InPlayer protocol, “Page size of lists”.
    struct Page {
        static let maxSize = 100
        let number: Int
        let size: Int

        init(_ fields: [String: String], standard: Int) {
            number = max(0, min(fields["page"].flatMap { Int($0) } ?? 0, 1_000_000))
            size = max(1, min((fields["size"] ?? fields["limit"]).flatMap { Int($0) } ?? standard, Self.maxSize))
        }

        /// The number of entries before the page.
        var offset: Int { number * size }

        func cut<Item>(_ all: [Item]) -> ArraySlice<Item> { all.dropFirst(offset).prefix(size) }
    }

    /// A purchase in a store.
    private struct Entry {
        let sold: SaleItem
        let transaction: StoreTransaction
        let isActive: Bool
    }

    private static let purchased = "purchased"

    /// Handles `GET /items/access/customers`, the list of purchases. It excludes items that only the subscriber
    /// system opens, because those were not bought in a store.
    func history() async throws -> Response {
        let reader = try await reader()
        var entries = try await entries(of: reader)
        switch field("status") {
        case "active": entries.removeAll { !$0.isActive }
        case "inactive": entries.removeAll(where: \.isActive)
        default: break
        }
        if let type = field("type"), type != Self.purchased { entries.removeAll { name(of: $0.sold) != type } }
        let page = Page(fields, standard: 20)
        let cut = page.cut(entries)
        let numbers = try await front.numbers(of: cut.map(\.sold))
        let account = try await account(of: reader)
        let itemCatalogue = try front.itemCatalogue()
        return InPlayerResponse.make([
            "collection": .array(
                cut.compactMap { entry in
                    numbers[entry.sold].map { value(of: entry, numbered: $0, account, itemCatalogue) }
                }), "total": .integer(entries.count), "page": .integer(page.number), "offset": .integer(page.offset),
            "limit": .integer(page.size),
        ])
    }

    /// Returns the reader's purchases, newest first.
    private func entries(of reader: InPlayerReader) async throws -> [Entry] {
        let itemCatalogue = try front.itemCatalogue()
        return try await front.transactions(of: reader.session.subscriber)
            .sorted { ($1.purchased, $1.id) < ($0.purchased, $0.id) }
            .compactMap { transaction in
                itemCatalogue.sold(as: transaction.product).map {
                    Entry(sold: $0, transaction: transaction, isActive: runs(transaction))
                }
            }
    }

    private func runs(_ transaction: StoreTransaction) -> Bool {
        transaction.revoked == nil && transaction.ends.map { front.now < $0 } ?? true
    }

    private func name(of sold: SaleItem) -> String { sold.isEdition ? "ppv" : "subscription" }

    private func value(
        of entry: Entry, numbered number: Int64, _ account: Account, _ itemCatalogue: ItemCatalogue
    ) -> JSONValue {
        let (transaction, price) = (entry.transaction, price(of: entry.sold, itemCatalogue))
        let text = JSONValue.string(price?.text ?? "")
        return [
            "type": .string(Self.purchased), "merchant_id": .integer(front.settings.merchantNumber),
            "customer_id": .integer(account.number), "customer_uuid": .string(account.uuid),
            "consumer_email": .string(account.details.identifier), "item_id": .integer(number),
            "item_title": .string(itemCatalogue.title(of: entry.sold)), "item_type": "gatefold",
            "item_access_id": .integer(AccessDocument.identifier(number, account)),
            "parent_resource_id": .string(transaction.id),
            "purchased_access_fee_id": .integer(itemCatalogue.fee(of: entry.sold, item: number)),
            "purchased_access_fee_type": .string(name(of: entry.sold)),
            "purchased_access_fee_description": text,
            // The web SDK uses this spelling.
            "purchase_access_fee_description": text,
            "purchased_amount": .number(price?.amount.description ?? "0"),
            "purchased_currency": .string(price?.currency ?? ""),
            "payment_method": .string(method(transaction)), "payment_tool": "",
            "created_at": .seconds(transaction.purchased), "starts_at": .seconds(transaction.purchased),
            "expires_at": transaction.ends.map { .seconds($0) } ?? 0,
            "revoked": .integer(transaction.revoked == nil ? 0 : 1), "is_trial": false,
        ]
    }

    private func price(of sold: SaleItem, _ itemCatalogue: ItemCatalogue) -> InPlayerFee? {
        itemCatalogue.product(of: sold).flatMap { product in front.settings.fees.first { $0.matches(product) } }
    }

    private func method(_ transaction: StoreTransaction) -> String {
        front.authorizationService.purchases?.verifier(named: transaction.store)?.kind.rawValue ?? "none"
    }

    /// Handles `GET /subscriptions`: the subscriptions bought in the stores, each once. They are cancelled in the
    /// stores, so there is no address that cancels a subscription.
    func subscriptions() async throws -> Response {
        let reader = try await reader()
        let rules = front.authorizationService.purchases?.products ?? ProductRules()
        var seen: Set<String> = []
        let latest = try await front.transactions(of: reader.session.subscriber)
            .filter { rules.subscription($0.product) != nil }
            .sorted { ($1.ends ?? $1.purchased, $1.id) < ($0.ends ?? $0.purchased, $0.id) }
            .filter { seen.insert("\($0.store) \($0.original)").inserted }
        let page = Page(fields, standard: 15)
        let cut = page.cut(latest)
        let numbers = try await front.numbers(of: cut.map { .subscription($0.product) })
        let itemCatalogue = try front.itemCatalogue()
        return InPlayerResponse.make([
            "collection": .array(
                cut.compactMap { transaction in
                    numbers[.subscription(transaction.product)].map {
                        value(of: transaction, numbered: $0, itemCatalogue)
                    }
                }), "total": .integer(latest.count), "page": .integer(page.number), "offset": .integer(page.offset),
            "limit": .integer(page.size),
        ])
    }

    /// Returns the outcome of a subscription as web apps show it. Stores do not report whether an active
    /// subscription will renew.
    private func action(_ transaction: StoreTransaction) -> String {
        if transaction.revoked != nil { return "canceled" }
        return runs(transaction) ? "recurrent" : "ended"
    }

    private func value(
        of transaction: StoreTransaction, numbered number: Int64, _ itemCatalogue: ItemCatalogue
    ) -> JSONValue {
        let sold = SaleItem.subscription(transaction.product)
        let price = price(of: sold, itemCatalogue)
        let amount = price?.amount ?? .zero
        let exactly = JSONValue.number(amount.description)
        let title = JSONValue.string(itemCatalogue.title(of: sold))
        let method = JSONValue.string(method(transaction))
        return [
            "subscription": .string(transaction.original), "subscription_id": .string(transaction.original),
            "cancel_token": "", "item_id": .integer(number), "asset_id": .integer(number),
            "item_title": title, "asset_title": title, "status": runs(transaction) ? "active" : "canceled",
            "action_type": .string(action(transaction)),
            "description": .string(price?.text ?? ""),
            "access_fee_id": .integer(itemCatalogue.fee(of: sold, item: number)),
            "access_type": price.map { AccessFeeDocument.accessType($0, front.settings) } ?? AccessFeeDocument.noType,
            // Android reads this amount as an `Int`, and shows the formatted amount.
            "amount": .integer(amount.roundedUnits), "charged_amount": exactly, "subscription_price": exactly,
            "formatted_amount": .string(price?.formatted(amount) ?? ""),
            "currency": .string(price?.currency ?? ""), "merchant_id": .integer(front.settings.merchantNumber),
            "payment_method": method, "payment_method_name": method, "created_at": .seconds(transaction.purchased),
            "updated_at": .seconds(transaction.reported),
            "next_billing_date": transaction.ends.map { .seconds($0) } ?? 0,
            "next_rebill_date": transaction.ends.map { .seconds($0) } ?? 0, "unsubscribe_url": .null,
        ]
    }
}
