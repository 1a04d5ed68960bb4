import ContentGate
import Foundation
import Gatefold
import Settings

extension ContentLayout {
    /// The `content` of a publication; nil when it has none.
    init?(_ publication: SettingsSection, publication id: PublicationID) throws(SettingsError) {
        guard publication.has("content") else { return nil }
        let section = try publication.section("content")
        let prefix = try section.string("prefix", default: "/content/\(id)/")
        // Whatever lies below the prefix is content: an app's call would be answered by whoever comes first.
        if prefix == "/" {
            throw section.error(
                "prefix", expected: "expected a path such as /content/\(id)/, not `/`: apps' calls are below it")
        }
        if let word = Self.firstSegment(of: prefix), word != "content",
            PublicationConfiguration.reserved.contains(word)
        {
            throw section.error(
                "prefix", expected: "expected a path such as /content/\(id)/: calls of apps begin with /\(word)")
        }
        let root = try section.filePath("root")
        if let root, !FileManager.default.fileExists(atPath: root) {
            section.warn("root", "there is no \(root): every download will be answered by 404")
        }
        let open = try section.strings("open") ?? []
        let feed = try section.strings("feed") ?? []
        let archives = try section.strings("archives") ?? ["zip", "pugpigpkg", "hpub"]
        try section.finish()
        do {
            try self.init(
                prefix: prefix, openPatterns: open, feedPatterns: feed, archiveExtensions: Set(archives), root: root)
        } catch {
            throw SettingsError(origin: section.origin, key: section.key, expected: error.description)
        }
    }

    /// Nil where the prefix is `/`.
    var firstSegment: String? { Self.firstSegment(of: prefix) }

    private static func firstSegment(of prefix: String) -> String? {
        prefix.split(separator: "/").first.map(String.init)
    }
}
