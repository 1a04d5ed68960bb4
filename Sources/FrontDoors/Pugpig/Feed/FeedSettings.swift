/// How a publication's feed of editions looks, and to whom.
package struct FeedSettings: Sendable, Equatable {
    package var title: String
    /// Whom the feed names as the author where an edition has none of its own.
    package var author: String
    /// The feed's identifier, an IRI that never changes.
    package var id: String
    /// The feed's own public address; nil where it is not known.
    package var address: String?
    /// Where editions, covers and samples lie that have no address of their own; ends with a slash.
    package var content: ContentAddress
    /// Of the archive of an edition that names no file, without the dot.
    package var archiveExtension: String
    /// Whether good feed credentials show editions that are not out yet.
    package var showsDrafts: Bool
    /// The apps whose Newsstand feed this publication has.
    package var newsstandApps: [String]

    package init(
        title: String, author: String? = nil, id: String, address: String? = nil, content: ContentAddress,
        archiveExtension: String = "pugpigpkg", showsDrafts: Bool = false, newsstandApps: [String] = []
    ) {
        self.title = title
        self.author = author ?? title
        self.id = id
        self.address = address
        self.content = content
        self.archiveExtension = archiveExtension
        self.showsDrafts = showsDrafts
        self.newsstandApps = newsstandApps
    }
}
