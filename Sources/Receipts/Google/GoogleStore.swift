import Foundation
import Gatefold

/// One app on Google Play (PROTOCOLS 1.6).
///
/// Purchase data is verified by the app's public key; where a service account is configured, Google itself is asked what has
/// become of the purchase, and a purchase token with its product is enough to ask.
struct GoogleStore: ReceiptVerifier {
    let store: StoreName
    /// The package name of the app.
    let package: String
    /// Nil where Google is always asked.
    let key: GoogleSigningKey?
    /// Nil where Google is never asked.
    let publisher: GooglePublisher?

    var kind: StoreKind { .google }

    func sells(app: String) -> Bool { app == package }

    /// The parts of a receipt longer than these, in bytes, are nobody's.
    private static let longest: [StoreReceipt.Part: Int] = [.receipt: 64 << 10, .token: 4096, .product: 512]

    func isPlausible(_ receipt: StoreReceipt) -> Bool {
        guard Self.longest.allSatisfy({ (receipt[$0.key]?.utf8.count ?? 0) <= $0.value }) else { return false }
        if case .refused(let refusal) = read(receipt) { return refusal.reason != .malformed }
        return true
    }

    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard isPlausible(receipt) else { return .refused(ReceiptRefusal(.malformed)) }
        let reading = read(receipt)
        switch reading {
        case .refused(let refusal): return .refused(refusal)
        case .token(let token, let product):
            guard let publisher else { return .refused(ReceiptRefusal(.malformed)) }
            let question = GoogleQuestion(token: token, product: product, mustBeProduct: true)
            return verdict([try await publisher.answer(question, about: self, at: moment)], allowed)
        case .orders(let all, let isSigned):
            if all.isEmpty { return .refused(ReceiptRefusal(.empty)) }
            let ours = all.filter { $0.package == package }
            if ours.isEmpty { return .refused(ReceiptRefusal(.wrongApp)) }
            guard let publisher else { return verdict(ours.map(offline), allowed) }
            var answers: [GoogleAnswer] = []
            for order in ours.prefix(Self.mostAsked) {
                let question = GoogleQuestion(
                    token: order.token, product: order.product, order: isSigned ? order.order : nil,
                    mustBeProduct: false)
                answers.append(try await publisher.answer(question, about: self, at: moment))
            }
            return verdict(answers, allowed)
        }
    }

    /// Google is asked about so many orders of one receipt.
    private static let mostAsked = 20

    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? {
        guard let publisher, let receipt, let question = question(about: transaction, receipt) else { return nil }
        switch try await publisher.answer(question, about: self, at: moment) {
        case .found(let found):
            return found.filter { allowed.contains($0.environment) && $0.original == transaction.original }
        case .refused(let refusal):
            switch refusal.reason {
            case .expired: return [transaction.ended(at: moment)]
            case .revoked: return [transaction.takenBack(at: moment)]
            default: return []
            }
        }
    }

    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {
        guard let publisher, publisher.acknowledges, let receipt,
            let question = question(about: transaction, receipt)
        else { return }
        try await publisher.acknowledge(transaction, token: question.token)
    }

    private func question(about transaction: StoreTransaction, _ receipt: StoreReceipt) -> GoogleQuestion? {
        switch read(receipt) {
        case .refused: return nil
        case .token(let token, let product):
            return GoogleQuestion(token: token, product: product ?? transaction.product, mustBeProduct: false)
        case .orders(let orders, let isSigned):
            let order = orders.first { order in
                let id = GooglePurchaseID.transaction(order: isSigned ? order.order : nil, token: order.token)
                let original = GooglePurchaseID.original(of: id)
                return order.package == package
                    && [original, GooglePurchaseID.item(transaction.product, of: original)].contains(
                        transaction.original)
            }
            return order.map {
                GoogleQuestion(
                    token: $0.token, product: $0.product, order: isSigned ? $0.order : nil, mustBeProduct: false)
            }
        }
    }

    private enum Reading {
        /// - Parameter isSigned: whether Google vouches for more than the token, which is asked about in any case. The number of
        ///   an order that is not signed would name whatever purchase its sender likes.
        case orders([GoogleOrder], isSigned: Bool)
        /// Something to ask Google about.
        case token(String, product: String?)
        case refused(ReceiptRefusal)
    }

    private func read(_ receipt: StoreReceipt) -> Reading {
        guard let data = receipt[.receipt] else {
            guard publisher != nil, let token = receipt[.token] else { return .refused(ReceiptRefusal(.malformed)) }
            return .token(token, product: receipt[.product])
        }
        if let key, let signature = receipt[.signature] {
            guard let text = key.signedText(data, signature: signature) else {
                return .refused(ReceiptRefusal(.forged))
            }
            return GoogleOrder.read(text).map { .orders($0, isSigned: true) } ?? .refused(ReceiptRefusal(.malformed))
        }
        // Unsigned, it says no more than what to ask about.
        guard publisher != nil,
            let orders = GoogleOrder.read(data) ?? PercentEncoded.decoded(data).flatMap(GoogleOrder.read)
        else { return .refused(ReceiptRefusal(.malformed)) }
        return .orders(orders, isSigned: false)
    }

    /// What the signed data says by itself. It names no end and is never taken back, however old it is: what a subscription
    /// covers then is up to the publication's rule, and any later word of Google's counts for more.
    private func offline(_ order: GoogleOrder) -> GoogleAnswer {
        let id = GooglePurchaseID.transaction(order: order.order, token: order.token)
        let transaction = StoreTransaction(
            store: store, id: id, original: GooglePurchaseID.original(of: id), product: order.product,
            purchased: order.purchased, revoked: order.state == 1 ? order.purchased : nil, quantity: order.quantity,
            environment: order.isTest ? .sandbox : .production, told: order.purchased)
        // 0 is purchased and 1 taken back; a pending one was not paid for yet.
        return [0, 1].contains(order.state) ? .found([transaction]) : .refused(ReceiptRefusal(.empty))
    }

    private func verdict(_ answers: [GoogleAnswer], _ allowed: Set<StoreEnvironment>) -> ReceiptVerdict {
        var found: [StoreTransaction] = []
        var refusal: ReceiptRefusal?
        for answer in answers {
            switch answer {
            case .refused(let reason): refusal = refusal ?? reason
            case .found(let transactions):
                let counting = transactions.filter { allowed.contains($0.environment) }
                if counting.isEmpty { refusal = refusal ?? ReceiptRefusal(.wrongEnvironment) }
                found += counting
            }
        }
        return found.isEmpty ? .refused(refusal ?? ReceiptRefusal(.empty)) : .genuine(found)
    }
}
