import Foundation
package import Gatefold
package import Settings

/// The origin of a publication's catalogue.
package enum CatalogueSettings: Sendable {
    /// The editions are listed in the configuration.
    case editions([Edition])
    case source(CataloguePlan)

    /// Reads `catalogue`, a list of editions or a mapping that names the `kind` of a source.
    package init(_ publication: SettingsSection) throws(SettingsError) {
        if case .mapping = publication.written("catalogue")?.content {
            self = .source(try CataloguePlan(try publication.section("catalogue")))
        } else {
            self = .editions(try Self.editions(publication))
        }
    }

    /// The catalogue as written in the configuration. The editions of a source replace it when the publications are
    /// assembled.
    package var written: Catalogue {
        switch self {
        case .editions(let editions): Catalogue(editions)
        case .source: .pending
        }
    }

    private static func editions(_ publication: SettingsSection) throws(SettingsError) -> [Edition] {
        var editions: [Edition] = []
        var seen: Set<EditionID> = []
        var products: [String: EditionID] = [:]
        for item in try publication.sections("catalogue") {
            let edition = try edition(item)
            guard seen.insert(edition.id).inserted else {
                throw item.error("id", expected: "the edition \(edition.id) is listed twice")
            }
            if let product = edition.storeProductID {
                if let other = products[product] {
                    throw item.error(
                        edition.product == nil ? "id" : "product",
                        expected: "the editions \(other) and \(edition.id) share a product; expected one for each")
                }
                products[product] = edition.id
            }
            editions.append(edition)
        }
        return editions
    }

    private static func edition(_ section: SettingsSection) throws(SettingsError) -> Edition {
        var item = EditionItem(
            id: try section.requiredString("id", expected: "an edition such as com.example.title.2026-11"))
        item.title = try section.string("title")
        item.published = try section.requiredDate("published")
        item.isFree = try section.boolean("free", default: false)
        item.isDraft = try section.boolean("draft", default: false)
        if section.has("withdrawn") { item.withdrawn = try section.requiredDate("withdrawn") }
        item.product = try section.string("product")
        item.file = try section.string("file")
        item.details.summary = try section.string("summary")
        item.details.author = try section.string("author")
        item.details.cover = try section.string("cover")
        item.details.sample = try section.string("sample")
        item.details.previews = try section.strings("previews") ?? []
        item.details.categories = try section.strings("categories") ?? []
        for line in try section.sections("contents") {
            item.details.contents.append(
                .init(
                    pages: try line.string("pages", default: ""),
                    text: try line.requiredString("text", expected: "the content of the pages")))
            try line.finish()
        }
        if section.has("updated") { item.details.updated = try section.requiredDate("updated") }
        try section.finish()
        do throws(EditionItemProblem) {
            return try item.edition()
        } catch {
            throw section.error(error.field, expected: error.expectation)
        }
    }
}

extension EditionItemProblem {
    fileprivate var field: String {
        switch self {
        case .missing(let field), .unreadable(let field), .tooLong(let field): field
        case .notAnEdition, .notAnItem, .repeated, .sameProduct: "id"
        }
    }

    fileprivate var expectation: String {
        switch self {
        case .unreadable("file"): "expected a path below the publication's content, such as 2026-11.pugpigpkg"
        case .unreadable("cover"), .unreadable("sample"), .unreadable("previews"):
            "expected an http or https address, or a path below the publication's content"
        case .unreadable: "expected a text without control characters"
        case .tooLong: "expected a shorter text"
        case .notAnEdition: "expected 1 to 128 letters, digits, dots, - and _"
        case .missing, .notAnItem, .repeated, .sameProduct: description
        }
    }
}
