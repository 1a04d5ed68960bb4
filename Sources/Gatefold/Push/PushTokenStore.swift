public import Foundation

/// The push tokens of apps, and how far notifications have come.
public protocol PushTokenStore: Sendable {
    /// Keeps a token, or notes that it is still in use.
    ///
    /// - Throws: ``PushTokenLimitReached`` for a new one where as many of the app came within the hour as may.
    func register(_ token: PushToken, at moment: Date) async throws

    /// Tokens in the store's order.
    ///
    /// - Parameter after: the ``RegisteredPushToken/sequence`` of the last one seen; 0 for the first.
    func pushTokens(
        of app: String, in environment: PushEnvironment, after: Int64, limit: Int
    ) async throws -> [RegisteredPushToken]

    /// - Parameter after: counts only those behind this place.
    func countPushTokens(of app: String, in environment: PushEnvironment, after: Int64) async throws -> Int

    /// Forgets a token that the service no longer knows, unless the app sent it again since `moment`.
    func forget(_ token: PushToken, unlessRegisteredAfter moment: Date) async throws

    /// Begins a campaign, or finds the one of this name as far as it has come.
    func begin(_ campaign: PushCampaign) async throws -> PushCampaign

    /// Keeps how far a campaign has come.
    func keep(_ campaign: PushCampaign) async throws

    /// Campaigns of a publication, the latest first.
    ///
    /// - Parameter unfinished: only those that have not come to their end.
    func campaigns(in publication: PublicationID, unfinished: Bool, limit: Int) async throws -> [PushCampaign]
}

/// A token was not kept, because too many new ones of its app came within an hour. Apps send theirs at every launch, so it
/// comes again.
public struct PushTokenLimitReached: BackendFailure {
    public let cause = "too many new push tokens of one app within an hour"

    public init() {}
}
