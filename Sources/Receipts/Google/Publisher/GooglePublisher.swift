import Foundation
import Gatefold
import JSON
import OutgoingRequests

/// The Google Play Developer API, `androidpublisher` version 3, for one app.
struct GooglePublisher: Sendable {
    /// Whether purchases that nobody acknowledged yet are to be; Google takes them back after three days else.
    let acknowledges: Bool
    let calls: GoogleCalls

    /// Says what has become of a purchase.
    ///
    /// A token does not say what kind of product it is for: it is asked about as a subscription's, which needs no product,
    /// and then as a single purchase's.
    ///
    /// - Throws: what says that Google could not be asked.
    func answer(
        _ question: GoogleQuestion, about store: GoogleStore, at moment: Date
    ) async throws -> GoogleAnswer {
        switch try await calls.get(["subscriptionsv2", "tokens", question.token]) {
        case .gone: return .refused(ReceiptRefusal(.expired, code: 410))
        case .refused(let refusal):
            guard let product = question.product else { return .refused(refusal) }
            return try await single(product, question, about: store, at: moment)
        case .found(let json):
            guard let purchase = GoogleSubscription(json) else { throw GoogleFailure.notUnderstood }
            if question.mustBeProduct, let product = question.product, !purchase.products.contains(product) {
                return .refused(ReceiptRefusal(.wrongProduct))
            }
            return wanted(purchase.answer(question, in: store.store, at: moment))
        }
    }

    private func single(
        _ product: String, _ question: GoogleQuestion, about store: GoogleStore, at moment: Date
    ) async throws -> GoogleAnswer {
        switch try await calls.get(["products", product, "tokens", question.token]) {
        // It has no end, so that it can only have been taken back.
        case .gone: return .refused(ReceiptRefusal(.revoked, code: 410))
        case .refused(let refusal): return .refused(refusal)
        case .found(let json):
            guard let purchase = GoogleSinglePurchase(json, asked: product) else { throw GoogleFailure.notUnderstood }
            guard purchase.product == product else { return .refused(ReceiptRefusal(.wrongProduct)) }
            return wanted(purchase.answer(question, in: store.store, at: moment))
        }
    }

    /// Where nobody wants it done here, it is the app that acknowledges.
    private func wanted(_ answer: GoogleAnswer) -> GoogleAnswer {
        guard !acknowledges, case .found(let transactions) = answer else { return answer }
        return .found(transactions.map(\.acknowledged))
    }

    /// - Throws: ``GoogleFailure/notAcknowledged(status:)``, or what says that Google could not be told.
    func acknowledge(_ transaction: StoreTransaction, token: String) async throws {
        let kind = transaction.expires == nil ? "products" : "subscriptions"
        try await calls.post([kind, transaction.product, "tokens", token], method: "acknowledge")
    }
}
