import Accounts
public import Commerce
import Foundation
import JSON

extension InPlayerPublication {
    /// The maximum number of items per notification round, because a receipt may contain years of renewals.
    private static let maxItems = 20

    /// Notifies the accounts concerned of a change of purchases. Readers without an account receive no
    /// notification.
    ///
    /// - Throws: `Unavailable` if the accounts concerned could not be determined. No notification has been sent
    ///   then.
    public func notify(of change: PurchaseChange) async throws {
        guard tools.notificationPublisher != nil, let purchases = authorizationService.purchases else { return }
        switch change {
        case .verified(let owner, let transactions):
            let accounts = try await accounts.accounts(of: try await purchases.person(of: owner))
            guard !accounts.isEmpty else { return }
            for (item, transaction) in try await items(of: transactions.filter { $0.revoked == nil }) {
                for account in accounts {
                    notify(.paid(item, transaction, account, self), to: account)
                    notify(.granted(item, transaction, account, self), to: account)
                }
            }
        case .rejected(let owner, let product, let rejection):
            let item = try await product.asyncFlatMap { try await self.item(named: $0) }
            for account in try await accounts.accounts(of: try await purchases.person(of: owner)) {
                notify(.notPaid(item, rejection), to: account)
            }
        case .refunded(let transactions):
            for (item, transaction) in try await items(of: transactions) {
                let owners = try await purchases.owners(of: transaction)
                for account in try await accounts.accounts(of: owners) {
                    notify(
                        AccountNotification(type: "access.revoked", resource: ["item_id": .integer(item.number)]),
                        to: account)
                }
            }
        }
    }

    /// Returns the items of purchases, each with the purchase that lasts longest.
    private func items(of transactions: [StoreTransaction]) async throws -> [(InPlayerItem, StoreTransaction)] {
        let itemCatalogue = try itemCatalogue()
        var bySaleItem: [SaleItem: StoreTransaction] = [:]
        for transaction in transactions {
            guard let sold = itemCatalogue.sold(as: transaction.product) else { continue }
            if let known = bySaleItem[sold], (known.ends ?? .distantFuture) >= (transaction.ends ?? .distantFuture) {
                continue
            }
            bySaleItem[sold] = transaction
        }
        let latest = bySaleItem.sorted { ($1.value.purchased, $1.key.name) < ($0.value.purchased, $0.key.name) }
            .prefix(Self.maxItems)
        let numbers = try await numbers(of: latest.map(\.key))
        return latest.compactMap { sold, transaction in
            numbers[sold].flatMap { item([sold], numbered: $0, on: itemCatalogue) }.map { ($0, transaction) }
        }
    }
}

extension AccountNotification {
    /// - Parameter transaction: The purchase that opened the item.
    fileprivate static func granted(
        _ item: InPlayerItem, _ transaction: StoreTransaction, _ account: Account, _ front: InPlayerPublication
    ) -> AccountNotification {
        AccountNotification(
            type: "access.granted",
            resource: AccessDocument.value(
                // The notification omits the content. An app that receives it requests the content with a token.
                ItemDocument.value(item, front.settings, site: front.downloads), numbered: item.number, of: account,
                since: transaction.purchased, until: transaction.ends))
    }

    fileprivate static func paid(
        _ item: InPlayerItem, _ transaction: StoreTransaction, _ account: Account, _ front: InPlayerPublication
    ) -> AccountNotification {
        let fee = item.fees.first { $0.product == transaction.product }
        let amount = JSONValue.number((fee?.price.amount ?? .zero).description)
        return AccountNotification(
            type: "external.payment.success",
            resource: [
                "code": 200, "status": "success", "item_id": .integer(item.number), "previewTitle": .string(item.title),
                "access_fee_id": .integer(fee?.number ?? item.number), "transaction": .string(transaction.id),
                "description": .string(fee?.price.text ?? ""), "email": "", "customer_id": .integer(account.number),
                "formatted_amount": .string(fee.map { $0.price.formatted($0.price.amount) } ?? ""),
                // These values are numbers, because iOS reads no other type. Android declares texts and reads
                // numbers as texts.
                "amount": amount, "full_amount": amount,
                "currency_iso": .string(fee?.price.currency ?? ""), "timestamp": .seconds(front.now),
                "payment_method": .string(
                    front.authorizationService.purchases?.verifier(named: transaction.store)?.kind.rawValue ?? ""),
                "voucher_code": "", "discount_percent": 0,
                "next_rebill_date": transaction.ends.map { .seconds($0) } ?? 0,
            ])
    }

    fileprivate static func notPaid(_ item: InPlayerItem?, _ rejection: ReceiptRejection) -> AccountNotification {
        var members: [JSONValue.Member] = [
            // This value is a text, because iOS reads no other type. Android declares a number and reads the digits
            // as a number.
            .init(name: "code", value: "422"), .init(name: "status", value: "failed"),
            .init(name: "message", value: .string(rejection.explanation)),
            .init(name: "explain", value: .string(rejection.explanation)),
        ]
        if let item { members.append(.init(name: "item_id", value: .integer(item.number))) }
        return AccountNotification(type: "external.payment.failed", resource: .object(members))
    }
}

extension Optional {
    fileprivate func asyncFlatMap<Result>(_ transform: (Wrapped) async throws -> Result?) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
