import Commerce
import Hummingbird

/// The request of an app with a receipt, from the parameters of each store's variant.
///
/// Source: Store receipts in the Pugpig style, “iTunes request”, “Google request” and “Amazon request”.
struct PugpigReceiptRequest: Sendable {
    let receipt: StoreReceipt
    /// The edition or product that the app requests, or `nil` if the app names none.
    let requested: String?
    /// The bundle identifier or package name. A publication with several apps receives it in `app`.
    let app: String?
    let fields: [String: String]

    /// An error for missing store parameters. The response is plain text, as from the historic server.
    struct Incomplete: Error {
        let text: String
    }

    /// Reads the request of a call.
    ///
    /// - Throws: ``RequestRejection``, ``Incomplete``, and any error of the connection while the body arrives.
    static func read(_ call: PugpigReceiptCall, _ request: Request) async throws -> PugpigReceiptRequest {
        switch call {
        case .itunes:
            let fields = try RequestFields.query(of: request, limits: .receipts)
            let body =
                request.method == .post
                ? try await RequestFields.bytes(of: request, upTo: RequestLimits.receipts.maxBodySize) : []
            let receipt = AppleReceiptBody.text(body) ?? fields["receipt"] ?? ""
            return PugpigReceiptRequest(
                receipt: StoreReceipt([.receipt: receipt]), fields, ["product_id", "productid"])
        case .google:
            let fields = try await RequestFields.read(request)
            return PugpigReceiptRequest(
                receipt: StoreReceipt([
                    .receipt: fields["data"] ?? "", .signature: fields["sig"] ?? "", .token: fields["token"] ?? "",
                    .product: fields["data"] == nil ? fields["sku"] ?? "" : "",
                ]), fields, ["product_id", "sku"])
        case .amazon:
            let fields = try await RequestFields.read(request)
            func has(_ name: String) -> Bool { fields[name]?.isEmpty == false }
            guard has("user_id"), has("token"), has("product_sku") || has("subs_sku") || has("product_id") else {
                throw Incomplete(text: "Expected user_id, token, and product_sku or subs_sku")
            }
            return PugpigReceiptRequest(
                receipt: StoreReceipt([.user: fields["user_id"] ?? "", .token: fields["token"] ?? ""]), fields,
                ["product_id", "product_sku"])
        }
    }

    private init(receipt: StoreReceipt, _ fields: [String: String], _ names: [String]) {
        self.receipt = receipt
        self.fields = fields
        requested = names.lazy.compactMap { fields[$0] }.first { !$0.allSatisfy(\.isWhitespace) }
        app = fields["app"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
