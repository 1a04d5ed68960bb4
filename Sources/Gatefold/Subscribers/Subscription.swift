/// The subscription of a subscriber, as a backend reports it.
public struct Subscription: Sendable, Equatable {
    public var state: SubscriptionState
    /// The message to the reader instead of the publication's own message for the state.
    public var message: String?
    /// The entitlement in the subscriber system. The publication's policy derives the final entitlement from it.
    public var entitlement: Entitlement
    /// Further editions that the subscriber system grants by identifier prefix.
    public var editionPrefixes: Set<EditionPrefixes>
    public var userInfo: [UserInfoCategory]
    public var periods: [Period]

    /// Creates a subscription. By default it grants nothing.
    public init(
        state: SubscriptionState, message: String? = nil, entitlement: Entitlement = .nothing,
        editionPrefixes: Set<EditionPrefixes> = [], userInfo: [UserInfoCategory] = [], periods: [Period] = []
    ) {
        self.state = state
        self.message = message
        self.entitlement = entitlement
        self.editionPrefixes = editionPrefixes
        self.userInfo = userInfo
        self.periods = periods
    }

    /// Returns whether this subscription opens the edition.
    ///
    /// A list applies in every state that can have one, because an inactive reader retains purchased editions. The
    /// value "everything" applies only to active readers, because an absent list means nothing for all other
    /// readers. Source: Pugpig protocol, “Inactive subscriptions without a list”.
    public func opens(_ edition: EditionID) -> Bool {
        switch state {
        case .unknown, .suspended, .stale: false
        case .active: entitlement.includes(edition)
        case .inactive: entitlement != .allEditions && entitlement.includes(edition)
        }
    }
}
