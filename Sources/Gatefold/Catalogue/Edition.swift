public import Foundation

/// One downloadable issue of a publication.
public struct Edition: Hashable, Sendable {
    public let id: EditionID
    public let title: String
    /// The publication date. Subscription periods and the grace rules compare with it.
    public let published: Date
    /// A Boolean value that indicates whether every reader may have the edition. The gate requires no credentials
    /// for a free edition.
    public let isFree: Bool
    /// A Boolean value that indicates whether the edition is a draft. No shelf shows a draft and no period covers
    /// it, regardless of its date.
    public let isDraft: Bool
    /// The time at which the edition was withdrawn from the shelves. Readers who own the edition retain it.
    public let withdrawn: Date?
    /// The product name in the app stores, if it differs from the identifier.
    public let product: String?
    /// The path of the archive below the publication's content prefix. Nil means the identifier with the usual
    /// extension.
    public let file: String?
    public let details: EditionDetails

    public init(
        id: EditionID, title: String, published: Date, isFree: Bool = false, isDraft: Bool = false,
        withdrawn: Date? = nil, product: String? = nil, file: String? = nil,
        details: EditionDetails = EditionDetails()
    ) {
        self.id = id
        self.title = title
        self.published = published
        self.isFree = isFree
        self.isDraft = isDraft
        self.withdrawn = withdrawn
        self.product = product
        self.file = file
        self.details = details
    }

    /// The product that stores sell the edition as, or nil for a free edition.
    public var storeProductID: String? { isFree ? nil : product ?? id.rawValue }

    /// Returns whether shelves show the edition at `timestamp`.
    public func isOffered(at timestamp: Date) -> Bool { !isDraft && withdrawn == nil && published <= timestamp }
}
