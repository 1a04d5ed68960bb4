import Foundation
import Gatefold
import Hummingbird
import JSON

/// One call of a reader app at its storefront.
struct BasispressQuestion {
    let front: Storefront
    let app: String
    let inquiry: Inquiry

    /// Whatever was sent is answered with 200: the app can do nothing about it.
    func register(_ registration: BasispressRegistration) async throws -> Response {
        try await front.register(pushToken: registration.text, of: app, in: .production)
        return JSONAnswer.make(.ok, ["status": "ok"])
    }

    /// What there is to read and to buy, and no link to download any of it.
    ///
    /// - Throws: ``Unavailable`` while the catalogue is awaited.
    func document(_ request: Request) throws -> Response {
        let document = front.protocolDocument.document(of: try front.catalogue, at: front.proxy.now) { editions in
            JSONWriter.bytes([
                "subscriptions": .array(subscriptions), "issues": .array(editions.map(entry)),
            ])
        }
        return document.response(to: request)
    }

    /// Those that are one product each: a pattern is none that could be bought.
    private var subscriptions: [JSONValue] {
        (front.proxy.purchases?.products.subscriptions ?? []).filter { !$0.pattern.hasSuffix("*") }.map {
            ["name": .string($0.title), "product_identifier": .string($0.pattern)]
        }
    }

    private func entry(_ edition: Edition) -> JSONValue {
        let details = edition.details
        return [
            "name": .string(edition.title),
            // A free edition is asked for by its identifier.
            "product_identifier": .string(edition.soldAs ?? edition.id.rawValue),
            "cover": .string(details.cover.map(front.downloads.absolute) ?? ""),
            "created_at": .string(edition.published.ISO8601Format()),
            "data": .array(details.previews.map { .string(front.downloads.absolute($0)) }),
            "contents": .array(details.contents.map { ["pages": .string($0.pages), "text": .string($0.text)] }),
        ]
    }
}
