/// The settings of a publication's feed of editions, and of its audience.
package struct FeedSettings: Sendable, Equatable {
    package var title: String
    /// The author in the feed of editions without their own author.
    package var author: String
    /// The feed's identifier, an IRI that never changes.
    package var id: String
    /// The feed's own public address, or `nil` if it is not known.
    package var address: String?
    /// The location of editions, covers and samples without their own address. Ends with a slash.
    package var content: ContentAddress
    /// The extension of the archive of an edition that names no file, without the dot.
    package var archiveExtension: String
    /// A Boolean value that indicates whether valid feed credentials show editions that are not published yet.
    package var showsDrafts: Bool
    /// The apps whose Newsstand feed this publication provides.
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
