import Foundation
import Gatefold
import JSON
import OutgoingRequests

/// The Google Play Developer API, `androidpublisher` version 3, for one app.
struct GooglePublisher: Sendable {
    /// Whether a purchase that nobody acknowledged yet is; Google takes it back after three days else.
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
        case .refused(let refusal) where refusal.reason == .expired: return .refused(refusal)
        case .refused(let refusal):
            guard let product = question.product else { return .refused(refusal) }
            return try await single(product, question, about: store, at: moment)
        case .found(let json):
            guard let purchase = GoogleSubscription(json) else { throw GoogleFailure.notUnderstood }
            if question.mustBeProduct, let product = question.product, !purchase.products.contains(product) {
                return .refused(ReceiptRefusal(.wrongProduct))
            }
            let answer = purchase.answer(question, in: store.store, at: moment)
            if case .found = answer, acknowledges, purchase.awaitsAcknowledgement, let product = purchase.products.first
            {
                try await calls.post(["subscriptions", product, "tokens", question.token], method: "acknowledge")
            }
            return answer
        }
    }

    private func single(
        _ product: String, _ question: GoogleQuestion, about store: GoogleStore, at moment: Date
    ) async throws -> GoogleAnswer {
        switch try await calls.get(["products", product, "tokens", question.token]) {
        case .refused(let refusal): return .refused(refusal)
        case .found(let json):
            guard let purchase = GoogleSinglePurchase(json, asked: product) else { throw GoogleFailure.notUnderstood }
            guard purchase.product == product else { return .refused(ReceiptRefusal(.wrongProduct)) }
            let answer = purchase.answer(question, in: store.store, at: moment)
            if case .found = answer, acknowledges, purchase.awaitsAcknowledgement {
                try await calls.post(["products", product, "tokens", question.token], method: "acknowledge")
            }
            return answer
        }
    }
}
