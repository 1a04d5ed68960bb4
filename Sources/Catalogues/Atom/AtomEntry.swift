import Foundation
import Gatefold
import Primitives
import XML

/// An entry of a feed.
struct AtomEntry {
    private let element: XMLElement
    private let base: String?
    private let feed: AtomFeed

    init(_ element: XMLElement, _ base: String?, _ feed: AtomFeed) {
        self.element = element
        self.base = AtomFeed.base(of: element, against: base)
        self.feed = feed
    }

    /// The edition's identifier as the entry writes it.
    var name: String? { element.atom("id").map { feed.edition(named: $0.text) } }

    func edition() throws(EditionItemProblem) -> Edition {
        guard let name else { throw .missing("id") }
        var item = EditionItem(id: name)
        item.title = element.atom("title").map(Self.text)
        let updated = try date("updated", in: AtomName.atom)
        item.published = try date("published", in: AtomName.atom)
        // The date is parsed only if it is needed, because the date of a printed issue may be any text.
        if item.published == nil {
            item.published = try date("issued", in: AtomName.dublinCore, isPartial: true)
        }
        if item.published == nil { item.published = updated }
        item.details.updated = updated == item.published ? nil : updated
        let draft = element.child("control", in: AtomName.app)?.child("draft", in: AtomName.app)
        item.isDraft = draft?.text.trimmingCharacters(in: .whitespacesAndNewlines) == "yes"
        // A draft is not marked as free. Its open link is meant for the readers who can see drafts; its final price
        // appears when the edition is no longer a draft.
        item.isFree = !item.isDraft && link(AtomName.buy) == nil && isFree
        item.product = element.child("identifier", in: AtomName.dublinCore)?.text
        item.file = try feed.content.file(
            link(AtomName.buy) ?? link(AtomName.acquisition) ?? link(AtomName.openAccess))
        item.details.summary = (element.atom("summary") ?? element.atom("content")).map(Self.text)
        item.details.author = element.atom("author")?.atom("name")?.text
        item.details.cover = feed.content.shortened(link(AtomName.image) ?? link(AtomName.thumbnail))
        item.details.sample = feed.content.shortened(link(AtomName.sample))
        item.details.categories = try categories()
        return try item.edition()
    }

    private var isFree: Bool { link(AtomName.acquisition) != nil || link(AtomName.openAccess) != nil }

    /// Returns the target of the first link with the given relation.
    private func link(_ relation: String) -> String? {
        element.children.first { $0.isAtom("link") && $0.attributes["rel"] == relation }?.attributes["href"]
            .flatMap { WebAddress.resolve($0, against: base) ?? $0 }
    }

    /// Returns the date in a child element.
    ///
    /// - Parameter isPartial: A Boolean value that indicates whether a year (`1917`) or a month (`2026-03`) counts
    ///   as its first day. OPDS catalogues write such dates in W3C's date format.
    private func date(
        _ name: String, in namespace: String, isPartial: Bool = false
    ) throws(EditionItemProblem) -> Date? {
        guard let child = element.child(name, in: namespace) else { return nil }
        var text = child.text.trimmingCharacters(in: .whitespacesAndNewlines)
        if isPartial {
            if text.wholeMatch(of: /[0-9]{4}/) != nil { text += "-01" }
            if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}/) != nil { text += "-01" }
        }
        guard let date = CivilTime.date(text) else { throw .unreadable(name) }
        return date
    }

    /// Returns the terms of the categories. A term is prefixed with the name of its scheme if it has one:
    /// `region=north`.
    private func categories() throws(EditionItemProblem) -> [String] {
        var categories: [String] = []
        for child in element.children where child.isAtom("category") {
            guard let term = child.attributes["term"] else { throw .unreadable("categories") }
            let scheme = child.attributes["scheme"] ?? ""
            let name = scheme.hasPrefix(AtomName.categories) ? scheme.dropFirst(AtomName.categories.count) : ""
            categories.append(name.isEmpty || name == AtomName.plainCategory ? term : "\(name)=\(term)")
        }
        return categories
    }

    /// Returns a text construct as plain text, without markup tags.
    private static func text(_ element: XMLElement) -> String {
        switch element.attributes["type"] {
        case "xhtml": element.allText.trimmingCharacters(in: .whitespacesAndNewlines)
        case "html": MarkedUpText.plain(element.text)
        default: element.text
        }
    }
}

extension XMLElement {
    /// The direct text of the element, followed by the text of its children.
    fileprivate var allText: String { text + children.map(\.allText).joined(separator: " ") }
}

/// A converter of simple HTML, as it occurs in short texts about an edition, to plain text.
enum MarkedUpText {
    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", "\u{A0}"), ("&amp;", "&"),
    ]

    static func plain(_ html: String) -> String {
        var text = ""
        var isInTag = false
        for character in html {
            switch character {
            case "<": isInTag = true
            case ">" where isInTag: isInTag = false
            default: if !isInTag { text.append(character) }
            }
        }
        for (entity, letter) in entities { text = text.replacing(entity, with: letter) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
