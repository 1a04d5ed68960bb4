import Foundation
import Gatefold
import Primitives
import XML

/// A parser for one page of an Atom or OPDS feed. Every input yields a page or an error.
struct AtomFeed {
    /// The prefix that is removed from the identifiers of entries.
    var idPrefix = ""
    var content = ContentPrefix(nil)
    /// The maximum size of a page in bytes.
    var maxSize = 16 << 20

    /// Reads one page.
    ///
    /// - Parameters:
    ///   - address: The address of the page, for relative references.
    ///   - known: The known editions, to which a deletion may refer.
    /// - Returns: The address of the next page; nil after the last page.
    func read(
        _ bytes: [UInt8], from address: String?, known: Catalogue, into reader: inout CatalogueReader
    ) throws(CatalogueFailure) -> String? {
        let root: XMLElement
        do {
            root = try XMLDocument(parsing: bytes, limits: .init(size: maxSize)).root
        } catch {
            throw .notADocument("a readable XML document")
        }
        guard root.name == "feed", root.namespace == AtomName.atom else { throw .notADocument("an Atom feed") }
        let base = Self.base(of: root, against: address)
        for child in root.children {
            switch (child.namespace, child.name) {
            case (AtomName.atom, "entry"):
                let entry = AtomEntry(child, base, self)
                try reader.next(named: entry.name) { () throws(EditionItemProblem) in try entry.edition() }
            case (AtomName.tombstones, "deleted-entry"):
                let name = child.attributes["ref"].map { edition(named: $0) }
                try reader.next(named: name) { () throws(EditionItemProblem) in try deletion(child, known) }
            default: break
            }
        }
        let next = root.children.first { $0.isAtom("link") && $0.attributes["rel"] == "next" }
        guard let next else { return nil }
        guard let page = WebAddress.resolve(next.attributes["href"] ?? "", against: base),
            WebAddress.scheme(of: page) != nil
        else { throw .foreignPage }
        return page
    }

    func edition(named id: String) -> String {
        let id = id.trimmingCharacters(in: .whitespacesAndNewlines)
        return id.hasPrefix(idPrefix) ? String(id.dropFirst(idPrefix.count)) : id
    }

    static func base(of element: XMLElement, against address: String?) -> String? {
        element.attributes["base"].flatMap { WebAddress.resolve($0, against: address) } ?? address
    }

    /// Returns the edition of a deletion. A deletion holds only its time, so the other fields come from the known
    /// edition.
    private func deletion(_ element: XMLElement, _ known: Catalogue) throws(EditionItemProblem) -> Edition {
        guard let ref = element.attributes["ref"] else { throw .missing("ref") }
        guard let when = element.attributes["when"].flatMap({ CivilTime.date($0) }) else { throw .unreadable("when") }
        var item = EditionItem(id: edition(named: ref))
        if let id = item.id.flatMap({ EditionID($0) }), let before = known[id] {
            item = EditionItem(before)
        } else {
            item.published = when
        }
        item.withdrawn = when
        return try item.edition()
    }
}

extension EditionItem {
    /// Creates an item with the fields of an edition.
    init(_ edition: Edition) {
        self.init(id: edition.id.rawValue)
        title = edition.title
        published = edition.published
        isFree = edition.isFree
        isDraft = edition.isDraft
        withdrawn = edition.withdrawn
        product = edition.product
        file = edition.file
        details = edition.details
    }
}

extension XMLElement {
    func isAtom(_ name: String) -> Bool { self.name == name && namespace == AtomName.atom }

    func atom(_ name: String) -> XMLElement? { children.first { $0.isAtom(name) } }

    func child(_ name: String, in namespace: String) -> XMLElement? {
        children.first { $0.name == name && $0.namespace == namespace }
    }
}
