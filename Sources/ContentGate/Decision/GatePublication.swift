public import Gatefold

/// One publication as the gate sees it.
public struct GatePublication: Sendable {
    public let id: PublicationID
    public let layout: ContentLayout
    public let verifier: EditionCredentialsVerifier
    /// The verifier of feed credentials, or `nil` if no credentials open the feed's paths.
    public let feedVerifier: FeedCredentialsVerifier?
    public let revocations: RevocationList
    /// The publication's catalogue. Its free editions are open to all readers without credentials.
    public let catalogue: CurrentCatalogue
    /// A Boolean value that indicates whether the query may carry credentials, see ``DownloadToken``.
    ///
    /// Enable it if apps open a URL and cannot add a header.
    public let acceptsDownloadTokens: Bool

    public init(
        id: PublicationID, layout: ContentLayout, verifier: EditionCredentialsVerifier,
        feedVerifier: FeedCredentialsVerifier? = nil, revocations: RevocationList,
        catalogue: CurrentCatalogue = CurrentCatalogue(), acceptsDownloadTokens: Bool = false
    ) {
        self.id = id
        self.layout = layout
        self.verifier = verifier
        self.feedVerifier = feedVerifier
        self.revocations = revocations
        self.catalogue = catalogue
        self.acceptsDownloadTokens = acceptsDownloadTokens
    }
}
