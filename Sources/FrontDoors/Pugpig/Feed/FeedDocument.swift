import Foundation
import Gatefold
import XML

/// The feed of a publication's editions for Pugpig: Atom (RFC 4287) with the vocabulary of OPDS and tombstones.
///
/// Source: Content feeds, “Entries of the feed”.
enum FeedDocument {
    static let contentType = "application/atom+xml; charset=utf-8"

    /// - Parameter timestamp: The current time. An edition that is published later appears as a draft, to readers who
    ///   see drafts.
    static func bytes(_ view: FeedView, _ settings: FeedSettings, at timestamp: Date) -> [UInt8] {
        var xml = XMLWriter()
        xml.element(
            "feed",
            [
                "xmlns": AtomName.atom, "xmlns:app": AtomName.app, "xmlns:at": AtomName.tombstones,
                "xmlns:dc": AtomName.dublinCore,
            ]
        ) { xml in
            xml.element("id") { $0.text(settings.id) }
            xml.element("title") { $0.text(settings.title) }
            xml.element("updated") { $0.text(AtomDate.text(view.updated)) }
            xml.element("author") { $0.element("name") { $0.text(settings.author) } }
            if let address = settings.address {
                xml.element("link", ["rel": "self", "type": "application/atom+xml", "href": address])
            }
            for edition in view.editions { entry(edition, settings, timestamp, &xml) }
            for deleted in view.withdrawn {
                xml.element("at:deleted-entry", ["ref": deleted.id.rawValue, "when": AtomDate.text(deleted.when)])
            }
        }
        return xml.bytes
    }

    private static func entry(
        _ edition: Edition, _ settings: FeedSettings, _ timestamp: Date, _ xml: inout XMLWriter
    ) {
        let isDraft = edition.isDraft || edition.published > timestamp
        let details = edition.details
        xml.element("entry") { xml in
            // The entry's id is the product id that the app sends. Source: Content feeds, “Entries of the feed”.
            xml.element("id") { $0.text(edition.id.rawValue) }
            xml.element("title") { $0.text(edition.title) }
            xml.element("updated") { $0.text(AtomDate.text(edition.changed)) }
            xml.element("published") { $0.text(AtomDate.text(edition.published)) }
            if isDraft { xml.element("app:control") { $0.element("app:draft") { $0.text("yes") } } }
            if let author = details.author { xml.element("author") { $0.element("name") { $0.text(author) } } }
            if let summary = details.summary { xml.element("summary") { $0.text(summary) } }
            for category in details.categories {
                let (name, term) = FeedCategory.split(category)
                xml.element("category", ["scheme": AtomName.categories + name, "term": term])
            }
            if let product = edition.product { xml.element("dc:identifier") { $0.text(product) } }
            if let cover = details.cover { link(AtomName.image, settings.content.of(cover), &xml) }
            let file = settings.content.of(file: edition.file ?? "\(edition.id.rawValue).\(settings.archiveExtension)")
            // The archive of a draft has the link of its later state. Without credentials the gate opens only free
            // editions.
            link(edition.isFree ? AtomName.acquisition : AtomName.buy, file, &xml)
            link("alternate", file, &xml)
            if let sample = details.sample { link(AtomName.sample, settings.content.of(sample), &xml) }
        }
    }

    private static func link(_ relation: String, _ address: String, _ xml: inout XMLWriter) {
        xml.element("link", ["rel": relation, "type": FeedMediaType.of(address), "href": address])
    }
}

/// A category such as `region=north`, whose scheme has the name `region`.
enum FeedCategory {
    static func split(_ category: String) -> (name: String, term: String) {
        let name = category.prefix { $0 != "=" }
        let isName =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
        let term = category.dropFirst(name.count + 1)
        guard isName, !term.isEmpty else { return (AtomName.plainCategory, category) }
        return (String(name), String(term))
    }
}

/// The media type of a file by the extension of its address, or `nil` if the extension is unknown.
enum FeedMediaType {
    private static let types = [
        "xml": "application/atom+xml", "atom": "application/atom+xml", "pugpigpkg": "application/pugpigpkg+xml",
        "zip": "application/zip", "hpub": "application/zip", "pdf": "application/pdf", "epub": "application/epub+zip",
        "html": "text/html", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif",
        "webp": "image/webp",
    ]

    static func of(_ address: String) -> String? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }
}

/// The format of timestamps in Atom (RFC 3339), in UTC, with milliseconds unless they are zero.
enum AtomDate {
    static func text(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let whole = Date(timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
        let text = whole.formatted(.iso8601)
        let rest = Int(milliseconds - Int64(whole.timeIntervalSince1970) * 1000)
        guard rest > 0, text.hasSuffix("Z") else { return text }
        let digits = String(rest)
        return text.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}
