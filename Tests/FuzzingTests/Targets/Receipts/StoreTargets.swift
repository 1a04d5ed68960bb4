import Commerce
import Foundation
import JSON
import OutgoingRequests
import Primitives

@testable import Receipts

extension FuzzTarget {
    /// Store responses, each parsed by the readers of all stores.
    static let storeResponse = FuzzTarget(
        "store-response", upTo: 2048, of: "VerifyReceiptResponse", "AppStoreServerError", "AmazonPurchase",
        "GoogleSubscription", "VerifyReceiptFields", "GoogleSinglePurchase", "NotificationPayload", "SignedTransaction",
        "SignedRenewalInfo", "AppleJWSHeader", "SignedPayloads", "RetryAfter", "SignedDates", "GoogleCalls"
    ) { bytes in
        _ = try? VerifyReceiptResponse(bytes)
        _ = AppStoreServerError(status: 400, body: bytes)
        checkMessages(bytes)
        guard let json = try? JSONParser.parse(bytes) else { return }
        _ = AmazonPurchase(json, .receiptID("r"))
        _ = AmazonPurchase(json, .purchaseToken("t"))
        for result in [
            GoogleSubscription(json)?.result(query, in: store, at: FuzzedTenant.now),
            GoogleSinglePurchase(json, requested: "p")?.result(query, in: store, at: FuzzedTenant.now),
        ] {
            guard case .found(let transactions) = result else { continue }
            promise(
                !transactions.isEmpty && transactions.allSatisfy { $0.quantity > 0 },
                "a purchase has no transactions or a quantity of zero")
        }
        _ = try? AppleJWSHeader(json)
        _ = try? SignedTransaction(json)
        _ = try? SignedRenewalInfo(json)
        _ = NotificationPayload.environment(of: json)
        _ = SignedPayloads.environment(of: json)
        if let notification = try? NotificationPayload(json) { _ = notification.environment }
        if case .string(let header) = json { _ = RetryAfter.pause(header, at: FuzzedTenant.now) }
    }

    /// Purchases signed by a store, in the texts that apps submit, and the stores' signed notifications.
    static let signedPurchase = FuzzTarget(
        "signed-purchase", upTo: 2048, of: "CompactJWS", "GoogleOrder", "PercentEncoding", "GooglePurchaseID"
    ) { bytes in
        let text = text(bytes)
        if let jws = try? CompactJWS(text) {
            _ = try? AppleJWSHeader(jws.header)
            _ = try? SignedTransaction(jws.payload)
        }
        _ = GoogleOrder.read(text)
        _ = PercentEncoding.decodeForm(text)
        _ = GooglePurchaseID.original(of: text)
    }

    /// Checks that only the documented values reject or end a purchase, never a failure at Google (Pitfall 9).
    private static func checkMessages(_ body: [UInt8]) {
        for status in [200, 400, 401, 403, 404, 408, 410, 429, 500, 503] {
            let reply = try? GoogleCalls.reply(OutboundResponse(status: status, headers: [], body: body))
            switch reply {
            case .found?: promise(status == 200, "an error was accepted as a purchase")
            case .gone?: promise(status == 410, "a purchase expired without evidence")
            case .rejected?: promise(status == 400 || status == 404, "a purchase was rejected without evidence")
            case nil: break
            }
        }
    }

    private static let store = StoreName("play")!
    private static let query = GoogleQuery(token: "t", product: "p", order: nil, mustBeProduct: false)
}
