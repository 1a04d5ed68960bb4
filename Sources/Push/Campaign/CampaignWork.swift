import Foundation
import Gatefold

/// The state of a campaign that is being sent.
struct CampaignWork {
    var campaign: PushCampaign
    let total: Int
    var window: SendWindow
    var rate: SendRate
    var lastSaved: TimeInterval = 0
    var inFlight = 0
    /// The tokens that were read and not begun yet.
    var page: ArraySlice<RegisteredPushToken> = []
    var lastRead: Int64
    var isAtEnd = false
    var failure: (any Error)?
    /// The number of notifications sent since the last start.
    private(set) var sent = 0
    /// A Boolean value that indicates whether APNs has accepted any notification of this app.
    private var isAccepted: Bool
    /// The tokens that APNs does not know. They are retained as long as the settings may be the cause.
    private var unknownTokens: [(token: PushToken, begun: Date)] = []
    private var rejected = 0

    /// - Parameter forgetsUnknownTokens: A Boolean value that indicates whether unknown tokens are deleted even if APNs knows
    ///   no token.
    init(_ campaign: PushCampaign, limits: PushLimits, total: Int, forgetsUnknownTokens: Bool) {
        self.campaign = campaign
        self.total = total
        window = SendWindow(room: limits.maxRepeatedSends)
        rate = SendRate(perSecond: limits.perSecond)
        lastRead = campaign.position
        isAccepted = forgetsUnknownTokens || campaign.sent > 0
    }

    /// A Boolean value that indicates whether wrong settings may have caused all responses so far.
    var isUncertain: Bool { !isAccepted && rejected > 0 }

    /// Advances the position.
    ///
    /// - Returns: True if the position changed.
    mutating func advance() -> Bool {
        let before = campaign.position
        window.advance(&campaign)
        return campaign.position != before
    }

    /// Applies an outcome. Invalid tokens are deleted.
    ///
    /// - Parameters:
    ///   - begun: The time at which the token was begun. A later registration of the token overrides the outcome.
    ///   - sentBefore: The value of ``sent`` at that time.
    /// - Throws: ``PushCampaignError``, or the error of the store.
    mutating func record(
        _ outcome: PushOutcome, of token: PushToken, begun: Date, sentBefore: Int, in store: any PushTokenStore
    ) async throws {
        switch outcome {
        case .sent:
            sent += 1
            try await accept(in: store)
        case .gone(let since):
            try await accept(in: store)
            try await store.remove(token, unlessRegisteredAfter: since ?? begun)
        case .badToken:
            unknownTokens.append((token, begun))
            if isAccepted { try await removeUnknownTokens(in: store) } else { try reject() }
        case .notForTopic:
            if !isAccepted { try reject() }
        case .notAccepted(let reason):
            // If no other notification succeeded in the meantime, the cause is not this token.
            if sent == sentBefore { throw PushCampaignError.unavailable("it responds with \(reason)") }
        }
    }

    private mutating func reject() throws {
        rejected += 1
        if rejected >= PushLimits.maxUnknownTokens { throw PushCampaignError.unknownTokens(rejected, campaign) }
    }

    private mutating func accept(in store: any PushTokenStore) async throws {
        isAccepted = true
        try await removeUnknownTokens(in: store)
    }

    private mutating func removeUnknownTokens(in store: any PushTokenStore) async throws {
        for (token, begun) in unknownTokens { try await store.remove(token, unlessRegisteredAfter: begun) }
        unknownTokens = []
    }
}
