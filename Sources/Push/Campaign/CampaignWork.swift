import Foundation
import Gatefold
import Protections

/// A campaign while it is being sent.
struct CampaignWork {
    var campaign: PushCampaign
    let total: Int
    var window: SendWindow
    var rate: SendRate
    var lastKept: TimeInterval = 0
    var underWay = 0
    /// Tokens read and not yet begun.
    var page: ArraySlice<RegisteredPushToken> = []
    var lastRead: Int64
    var isAtEnd = false
    var failure: (any Error)?
    /// Sent since it was last started.
    private(set) var sent = 0
    /// Whether APNs has shown that it takes this app's notifications at all.
    private var isAccepted: Bool
    /// Tokens that APNs does not know, kept as long as that may be the settings' fault.
    private var strangers: [(token: PushToken, begun: Date)] = []
    private var refused = 0

    /// - Parameter trusting: whether tokens that APNs does not know are forgotten even where it knows none.
    init(_ campaign: PushCampaign, limits: PushLimits, total: Int, trusting: Bool) {
        self.campaign = campaign
        self.total = total
        window = SendWindow(room: limits.mostRepeated)
        rate = SendRate(perSecond: limits.perSecond)
        lastRead = campaign.position
        isAccepted = trusting || campaign.sent > 0
    }

    /// Whether all that APNs said so far may be the settings' fault.
    var isInDoubt: Bool { !isAccepted && refused > 0 }

    /// Returns whether the place moved.
    mutating func advance() -> Bool {
        let before = campaign.position
        window.advance(&campaign)
        return campaign.position != before
    }

    /// Draws what follows from an outcome: tokens of no more use are forgotten.
    ///
    /// - Parameters:
    ///   - begun: when the token was taken up; whoever registered it since then knows better.
    ///   - sentBefore: ``sent`` at that time.
    /// - Throws: ``PushStop``, or what the store throws.
    mutating func note(
        _ outcome: PushOutcome, of token: PushToken, begun: Date, sentBefore: Int, in store: any PushTokenStore
    ) async throws {
        switch outcome {
        case .sent:
            sent += 1
            try await accept(in: store)
        case .gone(let since):
            try await accept(in: store)
            try await store.forget(token, unlessRegisteredAfter: since ?? begun)
        case .badToken:
            strangers.append((token, begun))
            if isAccepted { try await forgetStrangers(in: store) } else { try refuse() }
        case .notForTopic:
            if !isAccepted { try refuse() }
        case .notTaken(let reason):
            // If nothing else went through in all that time, it is not about this token.
            if sent == sentBefore { throw PushStop.unavailable("it answers \(reason)") }
        }
    }

    private mutating func refuse() throws {
        refused += 1
        if refused >= PushLimits.mostStrangers { throw PushStop.strangers(refused, campaign) }
    }

    private mutating func accept(in store: any PushTokenStore) async throws {
        isAccepted = true
        try await forgetStrangers(in: store)
    }

    private mutating func forgetStrangers(in store: any PushTokenStore) async throws {
        for (token, begun) in strangers { try await store.forget(token, unlessRegisteredAfter: begun) }
        strangers = []
    }
}
