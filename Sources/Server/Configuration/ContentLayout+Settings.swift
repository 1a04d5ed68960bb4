import ContentGate
import Foundation
import Gatefold
import Settings

extension ContentLayout {
    /// Reads the `content` section of a publication; returns nil if the section is missing.
    ///
    /// - Parameter reserved: The first segments of paths with another meaning.
    init?(
        _ publication: SettingsSection, publication id: PublicationID, reserved: Set<String>
    ) throws(SettingsError) {
        guard publication.has("content") else { return nil }
        let section = try publication.section("content")
        let prefix = try section.string("prefix", default: "/content/\(id)/")
        // Every path below the prefix is content. An app's call there would reach either handler, depending on
        // their order.
        if prefix == "/" {
            throw section.error(
                "prefix", expected: "expected a path such as /content/\(id)/, not `/`, because apps call below it")
        }
        if let segment = prefix.split(separator: "/").first.map(String.init), segment != "content",
            reserved.contains(segment)
        {
            throw section.error(
                "prefix", expected: "expected a path such as /content/\(id)/: calls of apps begin with /\(segment)")
        }
        let root = try section.filePath("root")
        if let root, !FileManager.default.fileExists(atPath: root) {
            section.warn("root", "no directory \(root): every download will fail with 404")
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
}
