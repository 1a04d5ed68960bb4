import ContentGate
import Gatefold
import Settings

extension ContentLayout {
    /// The `content` of a publication; nil when it has none.
    init?(_ publication: SettingsSection, publication id: PublicationID) throws(SettingsError) {
        guard publication.has("content") else { return nil }
        let section = try publication.section("content")
        let prefix = try section.string("prefix", default: "/content/\(id)/")
        let root = try section.filePath("root")
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
