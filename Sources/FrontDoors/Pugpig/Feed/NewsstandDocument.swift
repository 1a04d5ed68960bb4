import Foundation
import Gatefold
import XML

/// The feed from which Apple's Newsstand read covers: only published editions with a cover.
///
/// Source: Content feeds, “Newsstand feed”.
enum NewsstandDocument {
    static func bytes(_ view: FeedView, _ settings: FeedSettings) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("feed", ["xmlns": AtomName.atom, "xmlns:news": AtomName.newsstand]) { xml in
            xml.element("id") { $0.text(settings.id) }
            xml.element("title") { $0.text(settings.title) }
            xml.element("updated") { $0.text(AtomDate.text(view.updated)) }
            xml.element("author") { $0.element("name") { $0.text(settings.author) } }
            for edition in view.editions {
                guard let cover = edition.details.cover else { continue }
                xml.element("entry") { xml in
                    xml.element("id") { $0.text(edition.id.rawValue) }
                    xml.element("title") { $0.text(edition.title) }
                    xml.element("updated") { $0.text(AtomDate.text(edition.changed)) }
                    xml.element("published") { $0.text(AtomDate.text(edition.published)) }
                    xml.element("summary") { $0.text(edition.details.summary ?? edition.title) }
                    xml.element("news:cover_art_icons") { xml in
                        xml.element(
                            "news:cover_art_icon", ["size": "SOURCE", "src": settings.content.of(cover)])
                    }
                }
            }
        }
        return xml.bytes
    }
}
