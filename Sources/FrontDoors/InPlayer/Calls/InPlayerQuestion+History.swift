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

        func cut<Item>(_ all: [Item]) -> ArraySlice<Item> { all.dropFirst(number * size).prefix(size) }
    }

    /// Something that the reader has or had.
    private struct Entry {
        let sold: SoldItem
        /// Nil where the subscriber system says so, and no store.
        let transaction: StoreTransaction?
        let isActive: Bool
    }

    /// `GET /items/access/customers`: what was bought, and what the subscriber system opens besides.
    func history() async throws -> Response {
        let reader = try await reader()
        var entries = try await entries(of: reader)
        switch field("status") {
        case "active": entries.removeAll { !$0.isActive }
        case "inactive": entries.removeAll(where: \.isActive)
        default: break
        }
        if let type = field("type") { entries.removeAll { name(of: $0.sold) != type } }
        let page = Page(fields, standard: 20)
        let cut = page.cut(entries)
        let numbers = try await front.numbers(of: cut.map(\.sold))
        let account = try await account(of: reader)
        let shelf = try front.shelf()
        return InPlayerAnswer.make([
            "collection": .array(
                cut.compactMap { entry in
                    numbers[entry.sold].map { value(of: entry, numbered: $0, account, shelf) }
                }), "total": .whole(entries.count),
        ])
    }

    /// Newest first; what is only the subscriber system's word comes last.
    private func entries(of reader: InPlayerReader) async throws -> [Entry] {
        let shelf = try front.shelf()
        let bought = try await front.transactions(of: reader.session.subscriber)
            .sorted { ($1.purchased, $1.id) < ($0.purchased, $0.id) }
        var entries: [Entry] = []
        var seen: Set<SoldItem> = []
        for transaction in bought {
            guard let sold = shelf.sold(as: transaction.product) else { continue }
            let isOver = transaction.revoked != nil || transaction.ends.map { $0 <= front.now } ?? false
            if !isOver { seen.insert(sold) }
            entries.append(Entry(sold: sold, transaction: transaction, isActive: !isOver))
        }
        let subscription = try await front.access.verify(token: reader.token, inquiry()).subscription
        var told = subscription.state == .active ? shelf.subscriptions : []
        if case .editions(let held) = subscription.entitlement, [.active, .inactive].contains(subscription.state) {
            told += held.filter { shelf.catalogue[$0]?.isFree == false }.sorted { $1 < $0 }.map { .edition($0) }
        }
        return entries
            + told.filter { seen.insert($0).inserted }.map { Entry(sold: $0, transaction: nil, isActive: true) }
    }

    private func name(of sold: SoldItem) -> String { sold.isEdition ? "ppv" : "subscription" }

    private func value(
        of entry: Entry, numbered number: Int64, _ account: Account, _ shelf: ItemShelf
    ) -> JSONValue {
        let (transaction, price) = (entry.transaction, price(of: entry.sold, shelf))
        return [
            "item_id": .whole(number), "item_title": .string(shelf.title(of: entry.sold)), "item_type": "gatefold",
            "customer_id": .whole(account.number), "customer_uuid": .string(account.uuid),
            "purchased_access_fee_id": .whole(shelf.fee(of: entry.sold, item: number)),
            "purchased_access_fee_type": .string(name(of: entry.sold)),
            "purchase_access_fee_description": .string(price?.text ?? ""),
            "purchased_amount": .number(price?.amount.description ?? "0"),
            "purchased_currency": .string(price?.currency ?? ""),
            "payment_method": .string(method(transaction)),
            "created_at": .seconds(transaction?.purchased ?? account.created),
            "starts_at": .seconds(transaction?.purchased), "expires_at": transaction?.ends.map { .seconds($0) } ?? 0,
            "revoked": .whole(transaction?.revoked == nil ? 0 : 1), "is_trial": false,
        ]
    }

    private func price(of sold: SoldItem, _ shelf: ItemShelf) -> InPlayerFee? {
        shelf.product(of: sold).flatMap { product in front.settings.fees.first { $0.matches(product) } }
    }

    private func method(_ transaction: StoreTransaction?) -> String {
        transaction.flatMap { front.proxy.purchases?.verifier(named: $0.store)?.kind.rawValue } ?? "none"
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
        let cut = Page(fields, standard: 15).cut(latest)
        let numbers = try await front.numbers(of: cut.map { .subscription($0.product) })
        let shelf = try front.shelf()
        return InPlayerAnswer.make([
            "collection": .array(
                cut.compactMap { transaction in
                    numbers[.subscription(transaction.product)].map { value(of: transaction, numbered: $0, shelf) }
                }), "total": .whole(latest.count),
        ])
    }

    private func value(
        of transaction: StoreTransaction, numbered number: Int64, _ shelf: ItemShelf
    ) -> JSONValue {
        let sold = SoldItem.subscription(transaction.product)
        let price = price(of: sold, shelf)
        let runs = transaction.revoked == nil && transaction.ends.map { front.now < $0 } ?? true
        let amount = price?.amount.description ?? "0"
        let title = JSONValue.string(shelf.title(of: sold))
        return [
            "subscription": .string(transaction.original), "item_id": .whole(number), "asset_id": .whole(number),
            "item_title": title, "asset_title": title, "status": runs ? "active" : "canceled",
            "description": .string(price?.text ?? ""), "access_fee_id": .whole(shelf.fee(of: sold, item: number)),
            "amount": .number(amount), "charged_amount": .number(amount),
            "formatted_amount": .string(price.map { "\($0.amount) \($0.currency)" } ?? ""),
            "currency": .string(price?.currency ?? ""), "merchant_id": .whole(front.settings.merchantNumber),
            "payment_method": .string(method(transaction)), "created_at": .seconds(transaction.purchased),
            "updated_at": .seconds(transaction.told),
            "next_billing_date": transaction.ends.map { .seconds($0) } ?? 0,
            "next_rebill_date": transaction.ends.map { .seconds($0) } ?? 0, "unsubscribe_url": .null,
        ]
    }
}
