public import Foundation

/// One downloadable issue of a publication.
public struct Edition: Hashable, Sendable {
    public let id: EditionID
    public let title: String
    /// When the edition came out; decides what a subscription period and the grace rules cover.
    public let published: Date
    /// A free edition is everybody's: it needs no credentials at the gate.
    public let isFree: Bool

    public init(id: EditionID, title: String, published: Date, isFree: Bool = false) {
        self.id = id
        self.title = title
        self.published = published
        self.isFree = isFree
    }
}
