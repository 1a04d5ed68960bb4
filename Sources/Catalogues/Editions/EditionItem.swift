package import Foundation
package import Gatefold

/// The unchecked fields of an edition.
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

    /// Returns the edition if all fields are within bounds. An empty text counts as missing. Content that shelves
    /// and feeds could not carry is rejected.
    ///
    /// - Throws: ``EditionItemProblem`` with the name of the field.
    package func edition() throws(EditionItemProblem) -> Edition {
        guard let id = Self.nonEmpty(id) else { throw .missing("id") }
        guard let edition = EditionID(id) else { throw .notAnEdition }
        guard let published else { throw .missing("published") }
        var details = details
        details.summary = try Self.text(details.summary, "summary", maxLength: 20_000)
        details.author = try Self.text(details.author, "author", maxLength: 500)
        details.cover = try Self.address(details.cover, "cover")
        details.sample = try Self.address(details.sample, "sample")
        details.previews = try Self.list(details.previews, "previews") { text throws(EditionItemProblem) in
            try Self.address(text, "previews")
        }
        details.categories = try Self.list(details.categories, "categories") { text throws(EditionItemProblem) in
            try Self.text(text, "categories", maxLength: 200)
        }
        guard details.contents.count <= Self.maxListItems else { throw .tooLong("contents") }
        for line in details.contents {
            _ = try Self.text(line.pages, "contents", maxLength: 100)
            _ = try Self.text(line.text, "contents", maxLength: 2_000)
        }
        return Edition(
            id: edition, title: try Self.text(title, "title", maxLength: 500) ?? id, published: published,
            isFree: isFree, isDraft: isDraft, withdrawn: withdrawn,
            product: try Self.text(product, "product", maxLength: 255), file: try Self.path(file), details: details)
    }

    private static let maxListItems = 1_000
    private static let maxAddressLength = 2_048
    /// The maximum length of the path in bytes after escaping. The rest of the gate's path limit is reserved for
    /// the prefix of the path.
    private static let maxFilePathLength = ContentName.maxPathLength - 512

    private static func nonEmpty(_ text: String?) -> String? {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
        return text
    }

    private static func text(
        _ text: String?, _ field: String, maxLength: Int
    ) throws(EditionItemProblem) -> String? {
        guard let text = nonEmpty(text) else { return nil }
        guard text.utf8.count <= maxLength else { throw .tooLong(field) }
        // XML has no representation for these characters.
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) }),
            !text.unicodeScalars.contains(where: { $0.value == 0xFFFE || $0.value == 0xFFFF })
        else { throw .unreadable(field) }
        return text
    }

    private static func list(
        _ items: [String], _ field: String,
        _ read: (String) throws(EditionItemProblem) -> String?
    ) throws(EditionItemProblem) -> [String] {
        guard items.count <= maxListItems else { throw .tooLong(field) }
        var texts: [String] = []
        for item in items {
            if let text = try read(item) { texts.append(text) }
        }
        return texts
    }

    /// Returns an absolute web address, or an address relative to the publication's content. Spaces are escaped,
    /// because editors forget to do so.
    private static func address(_ text: String?, _ field: String) throws(EditionItemProblem) -> String? {
        guard let text = try line(text, field)?.replacing(" ", with: "%20") else { return nil }
        // Such an address would name another host, regardless of the scheme of the document.
        if text.hasPrefix("//") { throw .unreadable(field) }
        guard let scheme = WebAddress.scheme(of: text) else { return text }
        let rest = text.dropFirst(scheme.count + 1)
        guard ["http", "https"].contains(scheme), rest.hasPrefix("//"),
            rest.dropFirst(2).first.map({ $0 != "/" }) ?? false
        else { throw .unreadable(field) }
        return scheme + ":" + rest
    }

    /// Returns a path below the publication's content as it exists on disk, which cannot leave that folder. A path
    /// that the content gate would reject in a request is rejected by the same rule. Otherwise shelves would list
    /// it and every download would be denied.
    private static func path(_ text: String?) throws(EditionItemProblem) -> String? {
        guard let text = try line(text, "file") else { return nil }
        // The split works on bytes, because a character may consist of a slash and a combining mark.
        let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard WebAddress.scheme(of: text) == nil,
            segments.allSatisfy({ ContentName.fault(of: String(decoding: $0, as: UTF8.self)) == nil })
        else { throw .unreadable("file") }
        guard ContentName.escapedCount(of: text) <= maxFilePathLength else { throw .tooLong("file") }
        return text
    }

    /// Returns a text without control characters, such as an address.
    private static func line(_ text: String?, _ field: String) throws(EditionItemProblem) -> String? {
        guard let text = nonEmpty(text) else { return nil }
        guard text.utf8.count <= maxAddressLength else { throw .tooLong(field) }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { throw .unreadable(field) }
        return text
    }
}

/// The reason that an item is not an edition. It names the field and quotes nothing of it.
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
        case .notAnEdition: "its id is invalid: expected 1 to 128 letters, digits, dots, - and _"
        case .unreadable(let field): "its \(field) cannot be read"
        case .tooLong(let field): "its \(field) is too long"
        case .notAnItem(let expected): "is not \(expected)"
        case .repeated(let id): "the edition \(id) is listed twice"
        case .sameProduct(let first, let second): "the editions \(first) and \(second) have the same product"
        }
    }
}
