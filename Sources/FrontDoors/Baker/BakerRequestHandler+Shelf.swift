import Foundation
import Gatefold
import Hummingbird
import JSON

extension BakerRequestHandler {
    /// Returns the shelf, which is the same for all readers, so that caches may store it. The client fills in the
    /// values of the app and the reader.
    ///
    /// - Throws: ``Unavailable`` until the catalogue is loaded, because an app deletes the editions that are on no
    ///   shelf.
    func shelf(_ request: Request) throws -> Response {
        let document = front.documents.document(of: try front.catalogue, at: front.authorizationService.now) {
            editions in
            JSONWriter.bytes(.array(editions.map(entry)))
        }
        return document.response(to: request)
    }

    /// Returns an edition's entry. No member is ever null, because null values can crash the client.
    ///
    /// Source: Baker protocol, “Shelf document”.
    private func entry(_ edition: Edition) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name: name, value: value)) }
        add("name", .string(edition.id.rawValue))
        add("title", .string(edition.title))
        add("info", .string(edition.details.summary ?? ""))
        add("date", .string(Self.date(edition.published)))
        add("cover", .string(edition.details.cover.map(front.downloads.absolute) ?? ""))
        add("url", .string(address(of: edition)))
        if let product = edition.storeProductID { add("product_id", .string(product)) }
        let categories = edition.details.categories
        if !categories.isEmpty { add("categories", .array(categories.map { .string($0) })) }
        return .object(members)
    }

    /// Returns the URL of the call ``BakerCall/issue``, with its other placeholders left for the client to fill in.
    private func address(of edition: Edition) -> String {
        let path = settings[.issue]?.text { $0 == "name" ? edition.id.rawValue : ":\($0)" } ?? ""
        return front.downloads.publicURL + path
    }

    /// Returns a date as `yyyy-MM-dd HH:mm:ss` in GMT. The client sorts any other format unpredictably.
    private static func date(_ timestamp: Date) -> String {
        let text = timestamp.ISO8601Format(
            Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon))
        return text.hasSuffix("Z") ? String(text.dropLast()) : text
    }
}
