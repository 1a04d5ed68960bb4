public import Foundation

/// The details of an edition that shelves and feeds show. No decision depends on them.
public struct EditionDetails: Hashable, Sendable {
    /// A short summary of the edition.
    public var summary: String?
    public var author: String?
    /// The cover's URL: absolute, or relative to the publication's content prefix.
    public var cover: String?
    /// The URL of a sample that is free for every reader, in the format of ``cover``.
    public var sample: String?
    /// The URLs of preview pictures, in the format of ``cover``.
    public var previews: [String]
    public var categories: [String]
    public var contents: [ContentsEntry]
    /// The time of the last change to the edition. Nil means its publication date.
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
        /// The page numbers, such as `4` or `12–15`.
        public let pages: String
        public let text: String

        public init(pages: String, text: String) {
            self.pages = pages
            self.text = text
        }
    }
}
