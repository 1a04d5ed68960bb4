import Commerce
import Foundation
import Gatefold
import Hummingbird
import JSON

/// One call of a reader app at its storefront.
struct BasispressRequestHandler {
    let front: Storefront
    let app: String
    let context: CallContext

    /// Registers a push token. The status is 200 for any token, because the app cannot act on a failure.
    func register(_ registration: BasispressRegistration) async throws -> Response {
        try await front.register(pushToken: registration.text, of: app, in: .production)
        return JSONResponse.make(.ok, ["status": "ok"])
    }

    /// Returns the editions to read and to buy, without download links.
    ///
    /// - Throws: ``Unavailable`` until the catalogue is loaded.
    func document(_ request: Request) throws -> Response {
        let document = front.documents.document(of: try front.catalogue, at: front.authorizationService.now) {
            editions in
            JSONWriter.bytes([
                "subscriptions": .array(subscriptions), "issues": .array(editions.map(entry)),
            ])
        }
        return document.response(to: request)
    }

    /// The subscriptions that are a single product, because a pattern cannot be bought.
    private var subscriptions: [JSONValue] {
        (front.authorizationService.purchases?.products.subscriptions ?? []).filter { !$0.pattern.hasSuffix("*") }.map {
            ["name": .string($0.title), "product_identifier": .string($0.pattern)]
        }
    }

    private func entry(_ edition: Edition) -> JSONValue {
        let details = edition.details
        return [
            "name": .string(edition.title),
            // A free edition is requested by its identifier.
            "product_identifier": .string(edition.storeProductID ?? edition.id.rawValue),
            "cover": .string(details.cover.map(front.downloads.absolute) ?? ""),
            "created_at": .string(edition.published.ISO8601Format()),
            "data": .array(details.previews.map { .string(front.downloads.absolute($0)) }),
            "contents": .array(details.contents.map { ["pages": .string($0.pages), "text": .string($0.text)] }),
        ]
    }
}
