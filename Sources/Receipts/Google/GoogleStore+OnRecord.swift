import Foundation
import Gatefold

/// What is done about a purchase on record, with the receipt that proved it.
extension GoogleStore {
    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? {
        guard let publisher, let receipt else { return nil }
        let questions = self.questions(about: transaction, receipt)
        if questions.isEmpty { return nil }
        var refusal: ReceiptRefusal?
        for question in questions {
            switch try await publisher.answer(question, about: self, at: moment) {
            case .refused(let reason): refusal = refusal ?? reason
            case .found(let found):
                let known = Self.known(found, as: transaction)
                if !known.isEmpty { return known.filter { allowed.contains($0.environment) } }
            }
        }
        switch refusal?.reason {
        case .expired: return [transaction.ended(at: moment)]
        case .revoked: return [transaction.takenBack(at: moment)]
        default: return []
        }
    }

    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {
        guard let publisher, publisher.acknowledges else { return }
        let questions = receipt.map { self.questions(about: transaction, $0) } ?? []
        guard let first = questions.first else { throw GoogleFailure.noPurchaseToken }
        if questions.count == 1 { return try await publisher.acknowledge(transaction, token: first.token) }
        for question in questions {
            let answer = try await publisher.answer(question, about: self, at: transaction.told)
            guard case .found(let found) = answer, !Self.known(found, as: transaction).isEmpty else { continue }
            return try await publisher.acknowledge(transaction, token: question.token)
        }
        throw GoogleFailure.noPurchaseToken
    }

    /// What Google is asked about a purchase on record.
    ///
    /// Of signed orders the one that names the purchase. The number of an unsigned one only says which to ask about first: its
    /// sender may have written any, and it is Google's answer that says what it is.
    private func questions(about transaction: StoreTransaction, _ receipt: StoreReceipt) -> [GoogleQuestion] {
        switch read(receipt) {
        case .refused: return []
        case .token(let token, let product):
            return [GoogleQuestion(token: token, product: product ?? transaction.product, mustBeProduct: false)]
        case .orders(let orders, let isSigned):
            let ours = orders.filter { $0.package == package }
            let named = ours.filter { Self.names($0, transaction) }
            let others = isSigned ? [] : ours.filter { !Self.names($0, transaction) }
            return (named + others).prefix(Self.mostAsked).map {
                GoogleQuestion(
                    token: $0.token, product: $0.product, order: isSigned ? $0.order : nil, mustBeProduct: false)
            }
        }
    }

    private static func names(_ order: GoogleOrder, _ transaction: StoreTransaction) -> Bool {
        let original = GooglePurchaseID.original(
            of: GooglePurchaseID.transaction(order: order.order, token: order.token))
        return [original, GooglePurchaseID.item(transaction.product, of: original)].contains(transaction.original)
    }

    /// Those that are of the purchase on record, under the name it has there. One of several products is named with its
    /// product and the only one without; a product may be added to a subscription and dropped, and it is the same purchase.
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
            awaitsAcknowledgement: awaitsAcknowledgement, told: told)
    }
}
