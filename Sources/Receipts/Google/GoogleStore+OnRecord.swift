import Commerce
import Foundation

/// Operations on a recorded purchase, with the receipt that proved it.
extension GoogleStore {
    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]? {
        guard let publisher, let receipt else { return nil }
        let queries = self.queries(about: transaction, receipt)
        if queries.isEmpty { return nil }
        var rejection: ReceiptRejection?
        for query in queries {
            switch try await publisher.result(query, about: self, at: timestamp) {
            case .rejected(let reason): rejection = rejection ?? reason
            case .found(let found):
                let known = Self.known(found, as: transaction)
                if !known.isEmpty { return known.filter { allowed.contains($0.environment) } }
            }
        }
        switch rejection?.reason {
        case .expired: return [transaction.ended(at: timestamp)]
        case .revoked: return [transaction.refunded(at: timestamp)]
        default: return []
        }
    }

    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {
        guard let publisher, publisher.acknowledges else { return }
        let queries = receipt.map { self.queries(about: transaction, $0) } ?? []
        guard let first = queries.first else { throw GoogleFailure.noPurchaseToken }
        if queries.count == 1 { return try await publisher.acknowledge(transaction, token: first.token) }
        for query in queries {
            let result = try await publisher.result(query, about: self, at: transaction.reported)
            guard case .found(let found) = result, !Self.known(found, as: transaction).isEmpty else { continue }
            return try await publisher.acknowledge(transaction, token: query.token)
        }
        throw GoogleFailure.noPurchaseToken
    }

    /// Returns the queries to Google about a recorded purchase.
    ///
    /// With signed orders, only the order that names the purchase is queried. An unsigned order number only decides
    /// the sequence of queries, because its sender may have written any number. Google's response identifies the
    /// purchase.
    private func queries(about transaction: StoreTransaction, _ receipt: StoreReceipt) -> [GoogleQuery] {
        switch read(receipt) {
        case .rejected: return []
        case .token(let token, let product):
            return [GoogleQuery(token: token, product: product ?? transaction.product, mustBeProduct: false)]
        case .orders(let orders, let isSigned):
            let ours = orders.filter { $0.package == package }
            let named = ours.filter { Self.names($0, transaction) }
            let others = isSigned ? [] : ours.filter { !Self.names($0, transaction) }
            return (named + others).prefix(Self.maxLookups).map {
                GoogleQuery(
                    token: $0.token, product: $0.product, order: isSigned ? $0.order : nil, mustBeProduct: false)
            }
        }
    }

    private static func names(_ order: GoogleOrder, _ transaction: StoreTransaction) -> Bool {
        let original = GooglePurchaseID.original(
            of: GooglePurchaseID.transaction(order: order.order, token: order.token))
        return [original, GooglePurchaseID.item(transaction.product, of: original)].contains(transaction.original)
    }

    /// Returns the transactions of the recorded purchase, under its recorded name. A product's name is part of the
    /// identifier if the purchase has several products, and is not if it has only one. A product may be added to or
    /// removed from a subscription, and the purchase remains the same.
    private static func known(_ found: [StoreTransaction], as known: StoreTransaction) -> [StoreTransaction] {
        let same = found.filter { $0.original == known.original }
        if !same.isEmpty { return same }
        return found.filter { $0.product == known.product }.compactMap { other in
            func item(_ id: String) -> String { GooglePurchaseID.item(known.product, of: id) }
            if item(other.original) == known.original {
                return other.named(item(other.id), of: known.original)
            }
            if other.original == item(known.original) {
                return other.named(String(other.id.dropLast(item("").count)), of: known.original)
            }
            return nil
        }
    }
}

extension StoreTransaction {
    fileprivate func named(_ id: String, of original: String) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: original, product: product, purchased: purchased, expires: expires,
            grace: grace, revoked: revoked, quantity: quantity, environment: environment,
            awaitsAcknowledgement: awaitsAcknowledgement, reported: reported)
    }
}
