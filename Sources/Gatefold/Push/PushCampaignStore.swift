/// A store of the progress of push campaigns. Data is on disk when a call returns.
///
/// A thrown error means that the store was unavailable or could not write.
public protocol PushCampaignStore: Sendable {
    /// Starts a campaign, or returns the campaign of this name with its progress.
    func begin(_ campaign: PushCampaign) async throws -> PushCampaign

    /// Stores the progress of a campaign.
    func save(_ campaign: PushCampaign) async throws

    /// Returns the campaigns of a publication, latest first.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - unfinished: `true` to return only unfinished campaigns.
    ///   - limit: The maximum number of results.
    func campaigns(in publication: PublicationID, unfinished: Bool, limit: Int) async throws -> [PushCampaign]
}
