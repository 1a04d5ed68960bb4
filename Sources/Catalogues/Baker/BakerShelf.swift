import Foundation
import Gatefold
import JSON
import Primitives

/// A parser for a Baker shelf. Every input yields a catalogue or an error.
///
/// Source: Baker protocol, “Shelf document”.
struct BakerShelf {
    var content = ContentPrefix(nil)
    var address: String?

    func read(_ bytes: [UInt8], into reader: inout CatalogueReader) throws(CatalogueFailure) {
        guard let shelf = try? JSONParser.parse(bytes) else { throw .notADocument("JSON") }
        guard let items = shelf.items else { throw .notADocument("a list of editions, as shelf.json is") }
        for item in items {
            try reader.next(named: item["name"]?.text) { () throws(EditionItemProblem) in try edition(item) }
        }
    }

    private func edition(_ value: JSONValue) throws(EditionItemProblem) -> Edition {
        guard value.members != nil else { throw .notAnItem("an object") }
        var item = EditionItem(id: try text("name", of: value))
        item.title = try text("title", of: value)
        item.details.summary = try text("info", of: value)
        guard let date = try text("date", of: value) else { throw .missing("date") }
        guard let published = Self.date(date) else { throw .unreadable("date") }
        item.published = published
        item.product = try text("product_id", of: value)
        // Only an absent or null product is free. A product that is not filled in yet must not open an edition.
        // Source: Baker protocol, “Shelf document”.
        if item.product == nil, value["product_id"] != nil, value["product_id"] != .null {
            throw .unreadable("product_id")
        }
        item.isFree = item.product == nil
        item.details.cover = content.shortened(resolved(try text("cover", of: value)))
        item.file = try content.file(resolved(try text("url", of: value)))
        item.details.categories = try categories(of: value)
        return try item.edition()
    }

    private func resolved(_ reference: String?) -> String? {
        reference.map { WebAddress.resolve($0, against: address) ?? $0 }
    }

    /// Returns the text of a member; nil if it is missing, null or empty.
    private func text(_ name: String, of value: JSONValue) throws(EditionItemProblem) -> String? {
        switch value[name] {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty ? nil : text
        default: throw .unreadable(name)
        }
    }

    private func categories(of value: JSONValue) throws(EditionItemProblem) -> [String] {
        switch value["categories"] {
        case nil, .null: return []
        case .array(let items):
            var texts: [String] = []
            for item in items {
                guard let text = item.text else { throw .unreadable("categories") }
                texts.append(text)
            }
            return texts
        default: throw .unreadable("categories")
        }
    }

    /// Returns a date written as `yyyy-MM-dd HH:mm:ss` in GMT. Other formats are rejected, because the app reads no
    /// other.
    private static func date(_ text: String) -> Date? {
        guard text.utf8.count == 19, text.utf8.dropFirst(10).first == UInt8(ascii: " ") else { return nil }
        return CivilTime.date(text + "Z")
    }
}

/// A source of editions in an external Baker shelf.
struct BakerCatalogue: CatalogueSource {
    let fetch: DocumentFetch
    let shelf: BakerShelf

    func fetch(after known: KnownCatalogue) async throws -> CatalogueResult {
        guard let document = try await fetch(known: known.validators) else { return .unchanged }
        var reader = CatalogueReader(known: known.catalogue)
        try shelf.read(document.bytes, into: &reader)
        return .read(reader.finish(document.validators))
    }
}
