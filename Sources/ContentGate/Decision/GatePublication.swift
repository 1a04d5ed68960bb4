public import Gatefold

/// One publication as the gate knows it.
public struct GatePublication: Sendable {
    public let id: PublicationID
    public let layout: ContentLayout
    public let verifier: EditionCredentialsVerifier
    /// Nil where the feed's paths are nobody's.
    public let feedVerifier: FeedCredentialsVerifier?
    public let revocations: RevocationList
    /// Everybody's, without credentials.
    public let freeEditions: Set<EditionID>

    public init(
        id: PublicationID, layout: ContentLayout, verifier: EditionCredentialsVerifier,
        feedVerifier: FeedCredentialsVerifier? = nil, revocations: RevocationList, freeEditions: Set<EditionID> = []
    ) {
        self.id = id
        self.layout = layout
        self.verifier = verifier
        self.feedVerifier = feedVerifier
        self.revocations = revocations
        self.freeEditions = freeEditions
    }
}
