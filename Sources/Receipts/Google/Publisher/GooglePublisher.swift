import Commerce
import Foundation
import JSON
import OutgoingRequests

/// The Google Play Developer API, `androidpublisher` version 3, for one app.
struct GooglePublisher: Sendable {
    /// A Boolean value that indicates whether Gatefold acknowledges purchases without an acknowledgement. Google
    /// refunds them after three days otherwise.
    let acknowledges: Bool
    let calls: GoogleCalls

    /// Returns the current state of a purchase.
    ///
    /// A token does not contain the kind of its product. It is queried as a subscription first, which needs no
    /// product, and then as a single purchase.
    ///
    /// - Throws: An error if the call to Google fails.
    func result(
        _ query: GoogleQuery, about store: GoogleStore, at timestamp: Date
    ) async throws -> GoogleResult {
        switch try await calls.get(["subscriptionsv2", "tokens", query.token]) {
        case .gone: return .rejected(ReceiptRejection(.expired, code: 410))
        case .rejected(let rejection):
            guard let product = query.product else { return .rejected(rejection) }
            return try await single(product, query, about: store, at: timestamp)
        case .found(let json):
            guard let purchase = GoogleSubscription(json) else { throw GoogleFailure.unrecognizedResponse }
            if query.mustBeProduct, let product = query.product, !purchase.products.contains(product) {
                return .rejected(ReceiptRejection(.wrongProduct))
            }
            return wanted(purchase.result(query, in: store.store, at: timestamp))
        }
    }

    private func single(
        _ product: String, _ query: GoogleQuery, about store: GoogleStore, at timestamp: Date
    ) async throws -> GoogleResult {
        switch try await calls.get(["products", product, "tokens", query.token]) {
        // A single purchase has no end, so it can only have been revoked.
        case .gone: return .rejected(ReceiptRejection(.revoked, code: 410))
        case .rejected(let rejection): return .rejected(rejection)
        case .found(let json):
            guard let purchase = GoogleSinglePurchase(json, requested: product) else {
                throw GoogleFailure.unrecognizedResponse
            }
            guard purchase.product == product else { return .rejected(ReceiptRejection(.wrongProduct)) }
            return wanted(purchase.result(query, in: store.store, at: timestamp))
        }
    }

    /// Removes the pending acknowledgement if Gatefold is not configured to acknowledge, because the app then does
    /// it.
    private func wanted(_ result: GoogleResult) -> GoogleResult {
        guard !acknowledges, case .found(let transactions) = result else { return result }
        return .found(transactions.map(\.acknowledged))
    }

    /// Acknowledges a purchase.
    ///
    /// - Throws: ``GoogleFailure/notAcknowledged(status:)``, or another error if the call to Google fails.
    func acknowledge(_ transaction: StoreTransaction, token: String) async throws {
        let kind = transaction.expires == nil ? "products" : "subscriptions"
        try await calls.post([kind, transaction.product, "tokens", token], method: "acknowledge")
    }
}
