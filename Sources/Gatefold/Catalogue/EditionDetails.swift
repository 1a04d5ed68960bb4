public import Foundation

/// What shelves and feeds show of an edition, and nothing is decided by.
public struct EditionDetails: Hashable, Sendable {
    /// A few words about the edition.
    public var summary: String?
    public var author: String?
    /// The cover's URL: absolute, or relative to the publication's content prefix.
    public var cover: String?
    /// The URL of a sample that everybody may have, like ``cover``.
    public var sample: String?
    /// URLs of pictures that show what is inside, like ``cover``.
    public var previews: [String]
    public var categories: [String]
    public var contents: [ContentsEntry]
    /// When anything about the edition last changed; nil for its publication.
    public var updated: Date?

    public init(
        summary: String? = nil, author: String? = nil, cover: String? = nil, sample: String? = nil,
        previews: [String] = [], categories: [String] = [], contents: [ContentsEntry] = [], updated: Date? = nil
    ) {
        self.summary = summary
        self.author = author
        self.cover = cover
        self.sample = sample
        self.previews = previews
        self.categories = categories
        self.contents = contents
        self.updated = updated
    }

    /// A line of the table of contents.
    public struct ContentsEntry: Hashable, Sendable {
        /// Such as `4` or `12–15`.
        public let pages: String
        public let text: String

        public init(pages: String, text: String) {
            self.pages = pages
            self.text = text
        }
    }
}
