/// The names and values of Atom (RFC 4287), its publishing protocol (RFC 5023), tombstones (RFC 6721) and OPDS 1.2.
package enum AtomName {
    package static let atom = "http://www.w3.org/2005/Atom"
    package static let app = "http://www.w3.org/2007/app"
    package static let tombstones = "http://purl.org/atompub/tombstones/1.0"
    package static let dublinCore = "http://purl.org/dc/terms/"
    package static let newsstand = "http://itunes.apple.com/2011/Newsstand"
    /// The prefix of a category's scheme. Source: Content feeds, “Categories”.
    package static let categories = "http://schema.pugpig.com/"
    /// The scheme of a category that has no name of its own.
    package static let plainCategory = "category"

    package static let acquisition = "http://opds-spec.org/acquisition"
    package static let openAccess = "http://opds-spec.org/acquisition/open-access"
    package static let buy = "http://opds-spec.org/acquisition/buy"
    package static let sample = "http://opds-spec.org/acquisition/sample"
    package static let image = "http://opds-spec.org/image"
    package static let thumbnail = "http://opds-spec.org/image/thumbnail"
}
