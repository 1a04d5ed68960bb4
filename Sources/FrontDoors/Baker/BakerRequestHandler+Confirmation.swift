import Commerce
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension BakerRequestHandler {
    /// Records a receipt. The status 200 means that the receipt is on disk, whether or not Apple could be queried,
    /// because the client rarely sends it again.
    ///
    /// The app's `type` of the purchase is ignored, because the receipt names the product.
    ///
    /// Source: Baker protocol, “Confirmation failures”.
    func confirmation() async throws -> Response {
        guard let owner else { throw Self.noUser }
        guard let text = fields["receipt_data"].flatMap(ReceiptText.repaired) else {
            throw JSONRejection(.badRequest, ReceiptRejection.Reason.malformed.rawValue, .receiptMalformed)
        }
        guard let purchases = front.authorizationService.purchases else {
            throw Self.rejection(ReceiptRejection(.noStore))
        }
        switch try await purchases.confirm(StoreReceipt([.receipt: text]), from: .apple, app: app, owner: owner) {
        case .recorded: return JSONResponse.make(.ok, ["status": "recorded"])
        case .pending: return JSONResponse.make(.ok, ["status": "kept"])
        case .rejected(let rejection): throw Self.rejection(rejection)
        }
    }

    private static func rejection(_ rejection: ReceiptRejection) -> JSONRejection {
        JSONRejection(status(of: rejection.reason), rejection.reason.rawValue, RefusalReason(rejection.reason))
    }

    /// Returns the status for a rejection. The receipt of another app is 404, as in Baker Cloud.
    static func status(of reason: ReceiptRejection.Reason) -> HTTPResponse.Status {
        switch reason {
        case .malformed, .empty: .badRequest
        case .wrongApp, .notFound, .noStore: .notFound
        case .forged, .wrongEnvironment, .expired, .revoked, .claimedByAnother, .wrongProduct, .rejectedByStore:
            .forbidden
        }
    }
}
