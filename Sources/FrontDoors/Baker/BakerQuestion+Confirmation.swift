import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension BakerQuestion {
    /// Takes a receipt in. 200 says that it is on disk, whether or not Apple could be asked by now: the client hardly ever
    /// sends it again (PROTOCOLS 2.4).
    ///
    /// What the app's `type` says of the purchase is not looked at: the receipt names the product.
    func confirmation() async throws -> Response {
        guard let owner else { return Self.noUser }
        guard let text = fields["receipt_data"].flatMap(ReceiptText.repaired) else {
            return JSONAnswer.error(.badRequest, ReceiptRefusal.Reason.malformed.rawValue)
        }
        guard let purchases = front.proxy.purchases else { return Self.refused(ReceiptRefusal(.noStore)) }
        switch try await purchases.confirm(StoreReceipt([.receipt: text]), from: .apple, app: app, owner: owner) {
        case .recorded: return JSONAnswer.make(.ok, ["status": "recorded"])
        case .kept: return JSONAnswer.make(.ok, ["status": "kept"])
        case .refused(let refusal): return Self.refused(refusal)
        }
    }

    private static func refused(_ refusal: ReceiptRefusal) -> Response {
        JSONAnswer.error(status(of: refusal.reason), refusal.reason.rawValue)
    }

    /// Another app's receipt is 404, as Baker Cloud has it.
    static func status(of reason: ReceiptRefusal.Reason) -> HTTPResponse.Status {
        switch reason {
        case .malformed, .empty: .badRequest
        case .wrongApp, .notFound, .noStore: .notFound
        case .forged, .wrongEnvironment, .expired, .revoked, .claimedByAnother, .wrongProduct, .storeRefused: .forbidden
        }
    }
}
