import Foundation
import Gatefold
import Hummingbird
import JSON

extension BakerQuestion {
    /// The same for everybody, so that caches may keep it: whatever is an app's or a reader's own the client fills in.
    ///
    /// - Throws: ``Unavailable`` while the catalogue is awaited: an app deletes what is on no shelf.
    func shelf(_ request: Request) throws -> Response {
        let document = front.shelf.document(of: try front.catalogue, at: front.proxy.now) { editions in
            JSONWriter.bytes(.array(editions.map(entry)))
        }
        return document.response(to: request)
    }

    /// An edition as PROTOCOLS 2.2 has it. No member is ever null: the client takes that badly.
    private func entry(_ edition: Edition) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name: name, value: value)) }
        add("name", .string(edition.id.rawValue))
        add("title", .string(edition.title))
        add("info", .string(edition.details.summary ?? ""))
        add("date", .string(Self.date(edition.published)))
        add("cover", .string(edition.details.cover.map(front.downloads.absolute) ?? ""))
        add("url", .string(address(of: edition)))
        if let product = edition.soldAs { add("product_id", .string(product)) }
        let categories = edition.details.categories
        if !categories.isEmpty { add("categories", .array(categories.map { .string($0) })) }
        return .object(members)
    }

    /// The URL of the call ``BakerCall/issue``, its other placeholders left for the client to fill in.
    private func address(of edition: Edition) -> String {
        let path = front.baker?[.issue]?.text { $0 == "name" ? edition.id.rawValue : ":\($0)" } ?? ""
        return front.downloads.publicURL + path
    }

    /// `yyyy-MM-dd HH:mm:ss` in GMT: any other form the client sorts unpredictably.
    private static func date(_ moment: Date) -> String {
        let text = moment.ISO8601Format(
            Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon))
        return text.hasSuffix("Z") ? String(text.dropLast()) : text
    }
}
