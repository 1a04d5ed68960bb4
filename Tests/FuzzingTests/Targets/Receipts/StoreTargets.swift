import Foundation
import Gatefold
import JSON
import OutgoingRequests

@testable import Receipts

extension FuzzTarget {
    /// What the stores answer, each answer by the readers of all of them.
    static let storeAnswer = FuzzTarget(
        "store-answer", upTo: 2048, of: "VerifyReceiptAnswer", "AppStoreServerError", "AmazonPurchase",
        "GoogleSubscription", "VerifyReceiptFields", "GoogleSinglePurchase", "NotificationPayload", "SignedTransaction",
        "SignedRenewalInfo", "AppleJWSHeader", "SignedPayloads", "RetryAfter", "SignedDates", "GoogleCalls"
    ) { bytes in
        _ = try? VerifyReceiptAnswer(bytes)
        _ = AppStoreServerError(status: 400, body: bytes)
        checkWords(bytes)
        guard let json = try? JSONParser.parse(bytes) else { return }
        _ = AmazonPurchase(json, .receiptID("r"))
        _ = AmazonPurchase(json, .purchaseToken("t"))
        for answer in [
            GoogleSubscription(json)?.answer(question, in: store, at: FuzzedTenant.now),
            GoogleSinglePurchase(json, asked: "p")?.answer(question, in: store, at: FuzzedTenant.now),
        ] {
            guard case .found(let transactions) = answer else { continue }
            promise(!transactions.isEmpty && transactions.allSatisfy { $0.quantity > 0 }, "nothing was bought")
        }
        _ = try? AppleJWSHeader(json)
        _ = try? SignedTransaction(json)
        _ = try? SignedRenewalInfo(json)
        _ = NotificationPayload.environment(of: json)
        _ = SignedPayloads.environment(of: json)
        if let notification = try? NotificationPayload(json) { _ = notification.environment }
        if case .string(let header) = json { _ = RetryAfter.pause(header, at: FuzzedTenant.now) }
    }

    /// Purchases that a store signed, in the texts that apps hand over, and the stores' signed notifications.
    static let signedPurchase = FuzzTarget(
        "signed-purchase", upTo: 2048, of: "CompactJWS", "GoogleOrder", "PercentEncoded", "GooglePurchaseID"
    ) { bytes in
        let text = text(bytes)
        if let jws = try? CompactJWS(text) {
            _ = try? AppleJWSHeader(jws.header)
            _ = try? SignedTransaction(jws.payload)
        }
        _ = GoogleOrder.read(text)
        _ = PercentEncoded.decoded(text)
        _ = GooglePurchaseID.original(of: text)
    }

    /// A purchase is refused, or over, only by the words for that, and never because Google is in trouble (PITFALLS row 9).
    private static func checkWords(_ body: [UInt8]) {
        for status in [200, 400, 401, 403, 404, 408, 410, 429, 500, 503] {
            let word = try? GoogleCalls.word(HTTPAnswer(status: status, headers: [], body: body))
            switch word {
            case .found?: promise(status == 200, "an error is a purchase")
            case .gone?: promise(status == 410, "a purchase is over without a word")
            case .refused?: promise(status == 400 || status == 404, "a purchase is refused without a word")
            case nil: break
            }
        }
    }

    private static let store = StoreName("play")!
    private static let question = GoogleQuestion(token: "t", product: "p", order: nil, mustBeProduct: false)
}
