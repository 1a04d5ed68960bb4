import Foundation
import Gatefold
import Hummingbird
import JSON

extension InPlayerQuestion {
    /// Part of a longer list: `page` from 0, and `size` or `limit` of a page (PROTOCOLS 5.2: SDKs differ).
    struct Page {
        static let largest = 100
        let number: Int
        let size: Int

        init(_ fields: [String: String], standard: Int) {
            number = max(0, min(fields["page"].flatMap { Int($0) } ?? 0, 1_000_000))
            size = max(1, min((fields["size"] ?? fields["limit"]).flatMap { Int($0) } ?? standard, Self.largest))
        }

        /// How many entries are before it.
        var offset: Int { number * size }

        func cut<Item>(_ all: [Item]) -> ArraySlice<Item> { all.dropFirst(offset).prefix(size) }
    }

    /// A purchase in a store.
    private struct Entry {
        let sold: SoldItem
        let transaction: StoreTransaction
        let isActive: Bool
    }

    private static let purchased = "purchased"

    /// `GET /items/access/customers`: what was bought. What the subscriber system opens besides was bought elsewhere, if at all.
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
        let shelf = try front.shelf()
        return InPlayerAnswer.make([
            "collection": .array(
                cut.compactMap { entry in
                    numbers[entry.sold].map { value(of: entry, numbered: $0, account, shelf) }
                }), "total": .whole(entries.count), "page": .whole(page.number), "offset": .whole(page.offset),
            "limit": .whole(page.size),
        ])
    }

    /// Newest first.
    private func entries(of reader: InPlayerReader) async throws -> [Entry] {
        let shelf = try front.shelf()
        return try await front.transactions(of: reader.session.subscriber)
            .sorted { ($1.purchased, $1.id) < ($0.purchased, $0.id) }
            .compactMap { transaction in
                shelf.sold(as: transaction.product).map {
                    Entry(sold: $0, transaction: transaction, isActive: runs(transaction))
                }
            }
    }

    private func runs(_ transaction: StoreTransaction) -> Bool {
        transaction.revoked == nil && transaction.ends.map { front.now < $0 } ?? true
    }

    private func name(of sold: SoldItem) -> String { sold.isEdition ? "ppv" : "subscription" }

    private func value(
        of entry: Entry, numbered number: Int64, _ account: Account, _ shelf: ItemShelf
    ) -> JSONValue {
        let (transaction, price) = (entry.transaction, price(of: entry.sold, shelf))
        let text = JSONValue.string(price?.text ?? "")
        return [
            "type": .string(Self.purchased), "merchant_id": .whole(front.settings.merchantNumber),
            "customer_id": .whole(account.number), "customer_uuid": .string(account.uuid),
            "consumer_email": .string(account.details.identifier), "item_id": .whole(number),
            "item_title": .string(shelf.title(of: entry.sold)), "item_type": "gatefold",
            "item_access_id": .whole(AccessDocument.identifier(number, account)),
            "parent_resource_id": .string(transaction.id),
            "purchased_access_fee_id": .whole(shelf.fee(of: entry.sold, item: number)),
            "purchased_access_fee_type": .string(name(of: entry.sold)),
            "purchased_access_fee_description": text,
            // As the web SDK spells it.
            "purchase_access_fee_description": text,
            "purchased_amount": .number(price?.amount.description ?? "0"),
            "purchased_currency": .string(price?.currency ?? ""),
            "payment_method": .string(method(transaction)), "payment_tool": "",
            "created_at": .seconds(transaction.purchased), "starts_at": .seconds(transaction.purchased),
            "expires_at": transaction.ends.map { .seconds($0) } ?? 0,
            "revoked": .whole(transaction.revoked == nil ? 0 : 1), "is_trial": false,
        ]
    }

    private func price(of sold: SoldItem, _ shelf: ItemShelf) -> InPlayerFee? {
        shelf.product(of: sold).flatMap { product in front.settings.fees.first { $0.matches(product) } }
    }

    private func method(_ transaction: StoreTransaction) -> String {
        front.proxy.purchases?.verifier(named: transaction.store)?.kind.rawValue ?? "none"
    }

    /// `GET /subscriptions`: those bought in the stores, each once. They are ended there, so that there is no address that ends one.
    func subscriptions() async throws -> Response {
        let reader = try await reader()
        let rules = front.proxy.purchases?.products ?? ProductRules()
        var seen: Set<String> = []
        let latest = try await front.transactions(of: reader.session.subscriber)
            .filter { rules.subscription($0.product) != nil }
            .sorted { ($1.ends ?? $1.purchased, $1.id) < ($0.ends ?? $0.purchased, $0.id) }
            .filter { seen.insert("\($0.store) \($0.original)").inserted }
        let page = Page(fields, standard: 15)
        let cut = page.cut(latest)
        let numbers = try await front.numbers(of: cut.map { .subscription($0.product) })
        let shelf = try front.shelf()
        return InPlayerAnswer.make([
            "collection": .array(
                cut.compactMap { transaction in
                    numbers[.subscription(transaction.product)].map { value(of: transaction, numbered: $0, shelf) }
                }), "total": .whole(latest.count), "page": .whole(page.number), "offset": .whole(page.offset),
            "limit": .whole(page.size),
        ])
    }

    /// What becomes of a subscription, as web apps show it. Stores do not say whether one that runs will renew.
    private func action(_ transaction: StoreTransaction) -> String {
        if transaction.revoked != nil { return "canceled" }
        return runs(transaction) ? "recurrent" : "ended"
    }

    private func value(
        of transaction: StoreTransaction, numbered number: Int64, _ shelf: ItemShelf
    ) -> JSONValue {
        let sold = SoldItem.subscription(transaction.product)
        let price = price(of: sold, shelf)
        let amount = price?.amount ?? .zero
        let exactly = JSONValue.number(amount.description)
        let title = JSONValue.string(shelf.title(of: sold))
        let method = JSONValue.string(method(transaction))
        return [
            "subscription": .string(transaction.original), "subscription_id": .string(transaction.original),
            "cancel_token": "", "item_id": .whole(number), "asset_id": .whole(number),
            "item_title": title, "asset_title": title, "status": runs(transaction) ? "active" : "canceled",
            "action_type": .string(action(transaction)),
            "description": .string(price?.text ?? ""), "access_fee_id": .whole(shelf.fee(of: sold, item: number)),
            "access_type": price.map { AccessFeeDocument.accessType($0, front.settings) } ?? AccessFeeDocument.noType,
            // Android reads it as an `Int`, and shows what is formatted.
            "amount": .whole(amount.wholeUnits), "charged_amount": exactly, "subscription_price": exactly,
            "formatted_amount": .string(price?.formatted(amount) ?? ""),
            "currency": .string(price?.currency ?? ""), "merchant_id": .whole(front.settings.merchantNumber),
            "payment_method": method, "payment_method_name": method, "created_at": .seconds(transaction.purchased),
            "updated_at": .seconds(transaction.told),
            "next_billing_date": transaction.ends.map { .seconds($0) } ?? 0,
            "next_rebill_date": transaction.ends.map { .seconds($0) } ?? 0, "unsubscribe_url": .null,
        ]
    }
}
