/// The answer about a subscriber.
public struct Subscription: Sendable, Equatable {
    public var state: SubscriptionState
    /// Shown to the reader in place of the publication's own message for the state.
    public var message: String?
    /// What the subscriber system grants by itself; the publication's policy makes the final entitlement of it.
    public var entitlement: Entitlement
    /// Further editions that the subscriber system grants by their beginnings.
    public var beginnings: Set<EditionBeginnings>
    public var userInfo: [UserInfoCategory]
    public var periods: [Period]

    /// Nothing is granted unless it is said.
    public init(
        state: SubscriptionState, message: String? = nil, entitlement: Entitlement = .nothing,
        beginnings: Set<EditionBeginnings> = [], userInfo: [UserInfoCategory] = [], periods: [Period] = []
    ) {
        self.state = state
        self.message = message
        self.entitlement = entitlement
        self.beginnings = beginnings
        self.userInfo = userInfo
        self.periods = periods
    }

    /// Whether this subscription opens the edition.
    ///
    /// A list counts in every state that can hold one, because an inactive reader keeps what was bought; everything is
    /// only for the active (PROTOCOLS 1.2: "absent + not active = nothing").
    public func opens(_ edition: EditionID) -> Bool {
        switch state {
        case .unknown, .suspended, .stale: false
        case .active: entitlement.includes(edition)
        case .inactive: entitlement != .allEditions && entitlement.includes(edition)
        }
    }
}
