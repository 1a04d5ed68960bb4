package import Foundation
package import Gatefold

/// What somebody says of an edition, before it is one.
package struct EditionItem: Sendable {
    package var id: String?
    package var title: String?
    package var published: Date?
    package var isFree = false
    package var isDraft = false
    package var withdrawn: Date?
    package var product: String?
    package var file: String?
    package var details = EditionDetails()

    package init(id: String? = nil) {
        self.id = id
    }

    /// The edition, when everything about it is within bounds: an empty text is none, and what shelves and feeds could not
    /// carry is refused.
    ///
    /// - Throws: ``EditionItemProblem`` with the name of the field.
    package func edition() throws(EditionItemProblem) -> Edition {
        guard let id = Self.given(id) else { throw .missing("id") }
        guard let edition = EditionID(id) else { throw .notAnEdition }
        guard let published else { throw .missing("published") }
        var details = details
        details.summary = try Self.text(details.summary, "summary", longest: 20_000)
        details.author = try Self.text(details.author, "author", longest: 500)
        details.cover = try Self.address(details.cover, "cover")
        details.sample = try Self.address(details.sample, "sample")
        details.previews = try Self.list(details.previews, "previews") { text throws(EditionItemProblem) in
            try Self.address(text, "previews")
        }
        details.categories = try Self.list(details.categories, "categories") { text throws(EditionItemProblem) in
            try Self.text(text, "categories", longest: 200)
        }
        guard details.contents.count <= Self.mostInAList else { throw .tooLong("contents") }
        for line in details.contents {
            _ = try Self.text(line.pages, "contents", longest: 100)
            _ = try Self.text(line.text, "contents", longest: 2_000)
        }
        return Edition(
            id: edition, title: try Self.text(title, "title", longest: 500) ?? id, published: published,
            isFree: isFree, isDraft: isDraft, withdrawn: withdrawn,
            product: try Self.text(product, "product", longest: 255), file: try Self.path(file), details: details)
    }

    private static let mostInAList = 1_000
    private static let longestAddress = 2_048

    private static func given(_ text: String?) -> String? {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
        return text
    }

    private static func text(
        _ text: String?, _ field: String, longest: Int
    ) throws(EditionItemProblem) -> String? {
        guard let text = given(text) else { return nil }
        guard text.utf8.count <= longest else { throw .tooLong(field) }
        // XML has no way to write these.
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) }),
            !text.unicodeScalars.contains(where: { $0.value == 0xFFFE || $0.value == 0xFFFF })
        else { throw .unreadable(field) }
        return text
    }

    private static func list(
        _ items: [String], _ field: String,
        _ read: (String) throws(EditionItemProblem) -> String?
    ) throws(EditionItemProblem) -> [String] {
        guard items.count <= mostInAList else { throw .tooLong(field) }
        var texts: [String] = []
        for item in items {
            if let text = try read(item) { texts.append(text) }
        }
        return texts
    }

    /// An absolute address of the web, or one relative to the publication's content; blanks are escaped, which editors forget.
    private static func address(_ text: String?, _ field: String) throws(EditionItemProblem) -> String? {
        guard let text = try line(text, field)?.replacing(" ", with: "%20") else { return nil }
        // It would be another host's, by whatever scheme the document is read.
        if text.hasPrefix("//") { throw .unreadable(field) }
        guard let scheme = WebAddress.scheme(of: text) else { return text }
        let rest = text.dropFirst(scheme.count + 1)
        guard ["http", "https"].contains(scheme), rest.hasPrefix("//"),
            rest.dropFirst(2).first.map({ $0 != "/" }) ?? false
        else { throw .unreadable(field) }
        return scheme + ":" + rest
    }

    /// A path below the publication's content as it is on the disk, which nothing leads out of. What the content gate would
    /// refuse to read in a request is none.
    private static func path(_ text: String?) throws(EditionItemProblem) -> String? {
        guard let text = try line(text, "file") else { return nil }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard WebAddress.scheme(of: text) == nil, segments.allSatisfy(isName),
            !text.contains(where: { "?#%\\;".contains($0) })
        else { throw .unreadable("file") }
        return text
    }

    private static func isName(_ segment: Substring) -> Bool {
        !segment.isEmpty && segment.last != "." && segment != ".."
            && segment.first?.isWhitespace == false && segment.last?.isWhitespace == false
    }

    /// What stands in a line, such as an address.
    private static func line(_ text: String?, _ field: String) throws(EditionItemProblem) -> String? {
        guard let text = given(text) else { return nil }
        guard text.utf8.count <= longestAddress else { throw .tooLong(field) }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { throw .unreadable(field) }
        return text
    }
}

/// Why an item is no edition; names the field and quotes nothing of it.
package enum EditionItemProblem: Error, Equatable, CustomStringConvertible {
    case missing(String)
    case notAnEdition
    case unreadable(String)
    case tooLong(String)
    case notAnItem(String)
    case repeated(EditionID)
    case sameProduct(EditionID, EditionID)

    package var description: String {
        switch self {
        case .missing(let field): "has no \(field)"
        case .notAnEdition: "its id is none: expected 1 to 128 letters, digits, dots, - and _"
        case .unreadable(let field): "its \(field) can not be read"
        case .tooLong(let field): "its \(field) is too long"
        case .notAnItem(let expected): "is not \(expected)"
        case .repeated(let id): "the edition \(id) stands twice"
        case .sameProduct(let first, let second): "the editions \(first) and \(second) have one product"
        }
    }
}
