public import Foundation

/// One downloadable issue of a publication.
public struct Edition: Hashable, Sendable {
    public let id: EditionID
    public let title: String
    /// When the edition came out; decides what a subscription period and the grace rules cover.
    public let published: Date
    /// A free edition is everybody's: it needs no credentials at the gate.
    public let isFree: Bool
    /// Not out yet, whatever its date: no shelf shows it and no period covers it.
    public let isDraft: Bool
    /// When it was taken off the shelves; whoever holds it keeps it.
    public let withdrawn: Date?
    /// What the app stores sell it as, where that is not the identifier.
    public let product: String?
    /// Where its archive lies below the publication's content prefix; nil for the identifier with the usual extension.
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

    /// The product that stores sell the edition as; nil for a free one.
    public var soldAs: String? { isFree ? nil : product ?? id.rawValue }

    /// Whether shelves show the edition at `moment`.
    public func isOffered(at moment: Date) -> Bool { !isDraft && withdrawn == nil && published <= moment }
}
