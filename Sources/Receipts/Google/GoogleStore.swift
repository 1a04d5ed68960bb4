import Commerce
import Foundation
import Primitives

/// One app on Google Play.
///
/// The app's public key verifies purchase data. If a service account is configured, Google is queried about the
/// current state of the purchase, and a purchase token with its product is then sufficient.
///
/// Source: Store receipts in the Pugpig style, “Google Play receipts”.
struct GoogleStore: ReceiptVerifier {
    let store: StoreName
    /// The package name of the app.
    let package: String
    /// The key of signed purchase data, or nil if Google is always queried.
    let key: GoogleSigningKey?
    /// The client of Google's API, or nil if Google is never queried.
    let publisher: GooglePublisher?

    var kind: StoreKind { .google }

    func sells(app: String) -> Bool { app == package }

    /// The maximum lengths of the parts of a receipt in bytes. Google issues no longer parts.
    private static let maxLengths: [StoreReceipt.Part: Int] = [.receipt: 64 << 10, .token: 4096, .product: 512]

    func isPlausible(_ receipt: StoreReceipt) -> Bool {
        guard Self.maxLengths.allSatisfy({ (receipt[$0.key]?.utf8.count ?? 0) <= $0.value }) else { return false }
        if case .rejected(let rejection) = read(receipt) { return rejection.reason != .malformed }
        return true
    }

    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard isPlausible(receipt) else { return .rejected(ReceiptRejection(.malformed)) }
        let reading = read(receipt)
        switch reading {
        case .rejected(let rejection): return .rejected(rejection)
        case .token(let token, let product):
            guard let publisher else { return .rejected(ReceiptRejection(.malformed)) }
            let query = GoogleQuery(token: token, product: product, mustBeProduct: true)
            return verdict([try await publisher.result(query, about: self, at: timestamp)], allowed)
        case .orders(let all, let isSigned):
            if all.isEmpty { return .rejected(ReceiptRejection(.empty)) }
            let ours = all.filter { $0.package == package }
            if ours.isEmpty { return .rejected(ReceiptRejection(.wrongApp)) }
            guard let publisher else { return verdict(ours.map(offline), allowed) }
            var results: [GoogleResult] = []
            for order in ours.prefix(Self.maxLookups) {
                let query = GoogleQuery(
                    token: order.token, product: order.product, order: isSigned ? order.order : nil,
                    mustBeProduct: false)
                results.append(try await publisher.result(query, about: self, at: timestamp))
            }
            return verdict(results, allowed)
        }
    }

    /// The maximum number of orders of one receipt that are queried.
    static let maxLookups = 20

    enum Reading {
        /// - Parameter isSigned: A Boolean value that indicates whether Google signed the orders. The token is
        ///   queried in any case. Without a signature the order number is not used, because its sender could name
        ///   any purchase.
        case orders([GoogleOrder], isSigned: Bool)
        /// A token to query at Google.
        case token(String, product: String?)
        case rejected(ReceiptRejection)
    }

    func read(_ receipt: StoreReceipt) -> Reading {
        guard let data = receipt[.receipt] else {
            guard publisher != nil, let token = receipt[.token] else { return .rejected(ReceiptRejection(.malformed)) }
            return .token(token, product: receipt[.product])
        }
        if let key, let signature = receipt[.signature] {
            guard let text = key.signedText(data, signature: signature) else {
                return .rejected(ReceiptRejection(.forged))
            }
            return GoogleOrder.read(text).map { .orders($0, isSigned: true) } ?? .rejected(ReceiptRejection(.malformed))
        }
        // Unsigned data only provides the tokens to query.
        guard publisher != nil,
            let orders = GoogleOrder.read(data) ?? PercentEncoding.decodeForm(data).flatMap(GoogleOrder.read)
        else { return .rejected(ReceiptRejection(.malformed)) }
        return .orders(orders, isSigned: false)
    }

    /// Returns the result of signed data without a query. Signed data has no end and is never revoked, regardless
    /// of its age. The publication's rule decides the period that a subscription then covers, and any later
    /// statement of Google takes precedence.
    private func offline(_ order: GoogleOrder) -> GoogleResult {
        let id = GooglePurchaseID.transaction(order: order.order, token: order.token)
        let transaction = StoreTransaction(
            store: store, id: id, original: GooglePurchaseID.original(of: id), product: order.product,
            purchased: order.purchased, revoked: order.state == 1 ? order.purchased : nil, quantity: order.quantity,
            environment: order.isTest ? .sandbox : .production, reported: order.purchased)
        // 0 means purchased, and 1 means cancelled. A pending purchase is not paid yet.
        return [0, 1].contains(order.state) ? .found([transaction]) : .rejected(ReceiptRejection(.empty))
    }

    private func verdict(_ results: [GoogleResult], _ allowed: Set<StoreEnvironment>) -> ReceiptVerdict {
        var found: [StoreTransaction] = []
        var rejection: ReceiptRejection?
        for result in results {
            switch result {
            case .rejected(let reason): rejection = rejection ?? reason
            case .found(let transactions):
                let counting = transactions.filter { allowed.contains($0.environment) }
                if counting.isEmpty { rejection = rejection ?? ReceiptRejection(.wrongEnvironment) }
                found += counting
            }
        }
        return found.isEmpty ? .rejected(rejection ?? ReceiptRejection(.empty)) : .genuine(found)
    }
}
