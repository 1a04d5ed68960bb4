public import Foundation

/// The rule by which a publication maps a subscription to editions.
public enum EntitlementPolicy: String, Sendable, CaseIterable {
    /// An active subscription opens everything. Any other state opens only the editions that the subscriber system
    /// lists individually.
    case accessBased = "access"
    /// The subscriber system lists the editions.
    case issueBased = "issue"
    /// The subscription opens every edition published during its periods, and those listed individually. Future
    /// editions are not published yet.
    case periodBased = "period"
    /// The subscriber system decides, including "everything" and its decisions about single editions.
    ///
    /// Under the other policies, Gatefold does not query decisions about single editions. The list in a
    /// verification and the credentials can therefore not differ.
    case backendDecides = "backend"
}

/// The editions that a reader gets in addition to those of the subscription.
public struct GraceRules: Sendable, Equatable {
    /// The number of editions immediately before each owned edition that the reader also gets.
    public var previousOfHeld: Int
    /// The number of newest editions that an active reader also gets.
    public var newestForActive: Int

    public init(previousOfHeld: Int = 0, newestForActive: Int = 0) {
        self.previousOfHeld = previousOfHeld
        self.newestForActive = newestForActive
    }
}

/// The rule that maps a backend's subscription to the subscription that the app receives.
public struct EntitlementRule: Sendable {
    public let policy: EntitlementPolicy
    public let grace: GraceRules
    public private(set) var currentCatalogue: CurrentCatalogue
    /// A Boolean value that indicates whether the list is also omitted for inactive readers who own everything.
    ///
    /// Only the test endpoint does so, for its user `lapsedall`, because some apps read an absent list as
    /// everything. Source: Pugpig test endpoint and test console, “Test users”.
    private let omitsInactiveList: Bool

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - policy: The policy of the publication.
    ///   - grace: The rules for grace editions. Default: none.
    ///   - catalogue: The catalogue. Each decision reads it, so that a new edition counts as soon as its source reports
    ///     it.
    ///   - omitsInactiveList: Whether a response for an inactive reader omits the list of issues, as only the test
    ///     endpoint does. Default: false.
    public init(
        policy: EntitlementPolicy, grace: GraceRules = GraceRules(), catalogue: CurrentCatalogue,
        omitsInactiveList: Bool = false
    ) {
        self.policy = policy
        self.grace = grace
        currentCatalogue = catalogue
        self.omitsInactiveList = omitsInactiveList
    }

    public init(
        policy: EntitlementPolicy, grace: GraceRules = GraceRules(), catalogue: Catalogue = Catalogue(),
        omitsInactiveList: Bool = false
    ) {
        self.init(
            policy: policy, grace: grace, catalogue: CurrentCatalogue(catalogue), omitsInactiveList: omitsInactiveList)
    }

    public var catalogue: Catalogue { currentCatalogue.value }

    /// Returns the same rule with another catalogue.
    public func withCatalogue(_ catalogue: CurrentCatalogue) -> EntitlementRule {
        var rule = self
        rule.currentCatalogue = catalogue
        return rule
    }

    /// Returns the subscription with its final entitlement at `timestamp`.
    public func apply(to subscription: Subscription, at timestamp: Date) -> Subscription {
        var result = subscription
        result.entitlement = entitlement(for: subscription, at: timestamp)
        return result
    }

    private func entitlement(for subscription: Subscription, at timestamp: Date) -> Entitlement {
        switch subscription.state {
        case .unknown, .suspended, .stale:
            return .nothing
        case .active, .inactive:
            break
        }
        switch policy {
        case .backendDecides:
            // An inactive reader's list is always present, because some apps read an absent list as everything.
            // Source: Pugpig protocol, “Inactive subscriptions without a list”.
            let mayOmitList = subscription.state == .active || omitsInactiveList
            if subscription.entitlement == .allEditions, mayOmitList { return .allEditions }
            return withFreeAndGrace(listed(subscription), subscription, at: timestamp)
        case .accessBased:
            return subscription.state == .active
                ? .allEditions : withFreeAndGrace(listed(subscription), subscription, at: timestamp)
        case .issueBased:
            return withFreeAndGrace(listed(subscription), subscription, at: timestamp)
        case .periodBased:
            let catalogue = catalogue
            let held = subscription.periods.reduce(into: Set<EditionID>()) {
                $0.formUnion(catalogue.published(during: $1, by: timestamp))
            }
            return withFreeAndGrace(listed(subscription).union(held), subscription, at: timestamp)
        }
    }

    /// Returns the editions that a backend lists, and the editions of the catalogue that match its prefixes.
    ///
    /// Under a policy with lists, "everything" from a backend is a mapping error and grants nothing. Source:
    /// Pitfall 1, “A missing issue list read as everything”.
    private func listed(_ subscription: Subscription) -> Set<EditionID> {
        guard case .editions(var held) = subscription.entitlement else { return [] }
        if !subscription.editionPrefixes.isEmpty {
            held.formUnion(
                catalogue.editions.lazy.map(\.id).filter { id in
                    subscription.editionPrefixes.contains { $0.includes(id) }
                })
        }
        return held
    }

    private func withFreeAndGrace(
        _ held: Set<EditionID>, _ subscription: Subscription, at timestamp: Date
    ) -> Entitlement {
        let catalogue = catalogue
        var all = held
        if !catalogue.freeEditions.isEmpty {
            all.formUnion(catalogue.freeEditions.lazy.filter { catalogue.isFree($0, at: timestamp) })
        }
        if grace.previousOfHeld > 0 {
            for edition in held { all.formUnion(catalogue.previous(grace.previousOfHeld, before: edition)) }
        }
        if grace.newestForActive > 0, subscription.state == .active {
            all.formUnion(catalogue.newest(grace.newestForActive, at: timestamp))
        }
        return .editions(catalogue.out(of: all, at: timestamp))
    }
}
