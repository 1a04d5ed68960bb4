import Commerce
import Gatefold
import Hummingbird
import JSON

extension BasispressRequestHandler {
    /// Returns a link to the edition that a receipt opens, with a ticket in the query. An outage is neither success nor
    /// rejection.
    ///
    /// The receipt is the only credential. With `product_identifier`, it must open that product's edition. Without
    /// it, the edition that was bought last is opened.
    ///
    /// Source: Basispress protocol, “Receipt response” and “Status of the receipt response”.
    func receipt(_ fields: [String: String]) async throws -> BasispressReceiptResult {
        let (catalogue, now) = (try front.catalogue, front.authorizationService.now)
        let named = fields["product_identifier"].flatMap { $0.isEmpty ? nil : $0 }
        if let free = named.flatMap({ EditionID($0) }), catalogue.isFree(free, at: now),
            let archive = catalogue.archive(of: free, at: now)
        {
            return .granted(front.downloads.url(of: archive))
        }
        guard let text = fields["data"].flatMap(ReceiptText.repaired) else { return .refused(.receiptMalformed) }
        guard let purchases = front.authorizationService.purchases else { return .refused(.receiptWithoutStore) }
        let transactions: [StoreTransaction]
        switch try await purchases.examine(StoreReceipt([.receipt: text]), from: .apple, app: app) {
        case .rejected(let rejection): return .refused(RefusalReason(rejection.reason))
        case .genuine(let genuine): transactions = genuine
        }
        guard let edition = wanted(named, in: transactions, purchases.products, catalogue) else {
            return .refused(named == nil ? .editionMissing : .unknownEdition)
        }
        guard let archive = catalogue.archive(of: edition, at: now) else {
            return .refused(catalogue.reasonForNoArchive(of: edition))
        }
        guard
            case .granted(let credentials, _, _) = try front.authorizationService.editionCredentials(
                for: edition, verifiedBy: transactions, context)
        else { return .refused(.notIncluded) }
        return .granted(front.downloads.url(of: archive, credentials: credentials))
    }

    private func wanted(
        _ product: String?, in transactions: [StoreTransaction], _ products: ProductRules, _ catalogue: Catalogue
    ) -> EditionID? {
        if let product { return catalogue.edition(storeProductID: product) }
        return transactions.filter { $0.revoked == nil && products.subscription($0.product) == nil }
            .sorted { ($1.purchased, $1.id) < ($0.purchased, $0.id) }
            .lazy.compactMap { catalogue.edition(storeProductID: $0.product) }.first
    }
}

/// The result of a receipt: the address of an edition, or the reason of the refusal, which the app does not receive.
enum BasispressReceiptResult {
    case granted(String)
    case refused(RefusalReason)
}

/// The documents that the app receives. Success and rejection are both 200.
enum BasispressReceiptResponse {
    static func granted(_ address: String) -> Response {
        JSONResponse.make(.ok, ["status": "ok", "download_url": .string(address)])
    }

    static var failed: Response { JSONResponse.make(.ok, ["status": "failed"]) }
}
