import Foundation
public import Gatefold
import JSON

extension InPlayerPublication {
    /// So many items are told of at once: a receipt may hold years of renewals.
    private static let mostItems = 20

    /// Tells the accounts concerned what became of purchases; of readers without an account there is nobody to tell.
    ///
    /// - Throws: ``Unavailable`` when it could not be found out whom it concerns; nothing was told then.
    public func tell(of change: PurchaseChange) async throws {
        guard tools.noticeboard != nil, let purchases = proxy.purchases else { return }
        switch change {
        case .proven(let owner, let transactions):
            let accounts = try await accounts.accounts(of: try await purchases.person(of: owner))
            guard !accounts.isEmpty else { return }
            for (item, transaction) in try await items(of: transactions.filter { $0.revoked == nil }) {
                for account in accounts {
                    tell(.paid(item, transaction, account, self), to: account.uuid)
                    tell(.granted(item, transaction, account, self), to: account.uuid)
                }
            }
        case .refused(let owner, let product, let refusal):
            let item = try await product.asyncFlatMap { try await self.item(named: $0) }
            for account in try await accounts.accounts(of: try await purchases.person(of: owner)) {
                tell(.notPaid(item, refusal), to: account.uuid)
            }
        case .takenBack(let transactions):
            for (item, transaction) in try await items(of: transactions) {
                let holders = try await purchases.holders(of: transaction)
                for account in try await accounts.accounts(of: holders) {
                    tell(
                        InPlayerNotice(type: "access.revoked", resource: ["item_id": .whole(item.number)]),
                        to: account.uuid)
                }
            }
        }
    }

    /// What purchases are of, each item with the purchase that lasts longest.
    private func items(of transactions: [StoreTransaction]) async throws -> [(InPlayerItem, StoreTransaction)] {
        let shelf = try shelf()
        var bySold: [SoldItem: StoreTransaction] = [:]
        for transaction in transactions {
            guard let sold = shelf.sold(as: transaction.product) else { continue }
            if let known = bySold[sold], (known.ends ?? .distantFuture) >= (transaction.ends ?? .distantFuture) {
                continue
            }
            bySold[sold] = transaction
        }
        let latest = bySold.sorted { ($1.value.purchased, $1.key.name) < ($0.value.purchased, $0.key.name) }
            .prefix(Self.mostItems)
        let numbers = try await numbers(of: latest.map(\.key))
        return latest.compactMap { sold, transaction in
            numbers[sold].flatMap { item([sold], numbered: $0, on: shelf) }.map { ($0, transaction) }
        }
    }
}

extension InPlayerNotice {
    /// - Parameter transaction: the purchase that opened the item.
    fileprivate static func granted(
        _ item: InPlayerItem, _ transaction: StoreTransaction, _ account: Account, _ front: InPlayerPublication
    ) -> InPlayerNotice {
        InPlayerNotice(
            type: "access.granted",
            resource: AccessDocument.value(
                // Without its content: whoever hears of it asks for it with a token.
                ItemDocument.value(item, front.settings, site: front.downloads), numbered: item.number, of: account,
                since: transaction.purchased, until: transaction.ends))
    }

    fileprivate static func paid(
        _ item: InPlayerItem, _ transaction: StoreTransaction, _ account: Account, _ front: InPlayerPublication
    ) -> InPlayerNotice {
        let fee = item.fees.first { $0.product == transaction.product }
        let amount = JSONValue.number((fee?.price.amount ?? .zero).description)
        return InPlayerNotice(
            type: "external.payment.success",
            resource: [
                "code": 200, "status": "success", "item_id": .whole(item.number), "previewTitle": .string(item.title),
                "access_fee_id": .whole(fee?.number ?? item.number), "transaction": .string(transaction.id),
                "description": .string(fee?.price.text ?? ""), "email": "", "customer_id": .whole(account.number),
                "formatted_amount": .string(fee.map { $0.price.formatted($0.price.amount) } ?? ""),
                // Numbers: iOS reads nothing else, and Android, which declares texts, reads them as such.
                "amount": amount, "full_amount": amount,
                "currency_iso": .string(fee?.price.currency ?? ""), "timestamp": .seconds(front.now),
                "payment_method": .string(
                    front.proxy.purchases?.verifier(named: transaction.store)?.kind.rawValue ?? ""),
                "voucher_code": "", "discount_percent": 0,
                "next_rebill_date": transaction.ends.map { .seconds($0) } ?? 0,
            ])
    }

    fileprivate static func notPaid(_ item: InPlayerItem?, _ refusal: ReceiptRefusal) -> InPlayerNotice {
        var members: [JSONValue.Member] = [
            // A text: iOS reads nothing else, and Android, which declares a number, reads the digits as one.
            .init(name: "code", value: "422"), .init(name: "status", value: "failed"),
            .init(name: "message", value: .string(refusal.words)),
            .init(name: "explain", value: .string(refusal.words)),
        ]
        if let item { members.append(.init(name: "item_id", value: .whole(item.number))) }
        return InPlayerNotice(type: "external.payment.failed", resource: .object(members))
    }
}

extension Optional {
    fileprivate func asyncFlatMap<Result>(_ transform: (Wrapped) async throws -> Result?) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
