public import Gatefold

/// One publication as the gate knows it.
public struct GatePublication: Sendable {
    public let id: PublicationID
    public let layout: ContentLayout
    public let verifier: EditionCredentialsVerifier
    /// Nil where the feed's paths are nobody's.
    public let feedVerifier: FeedCredentialsVerifier?
    public let revocations: RevocationList
    /// Its free editions are everybody's, without credentials.
    public let catalogue: CurrentCatalogue
    /// Whether credentials may come in the query, see ``Ticket``: where apps are sent to a URL and can add no header.
    public let acceptsTickets: Bool

    public init(
        id: PublicationID, layout: ContentLayout, verifier: EditionCredentialsVerifier,
        feedVerifier: FeedCredentialsVerifier? = nil, revocations: RevocationList,
        catalogue: CurrentCatalogue = CurrentCatalogue(), acceptsTickets: Bool = false
    ) {
        self.id = id
        self.layout = layout
        self.verifier = verifier
        self.feedVerifier = feedVerifier
        self.revocations = revocations
        self.catalogue = catalogue
        self.acceptsTickets = acceptsTickets
    }
}
