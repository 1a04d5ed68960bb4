public import Foundation

/// How a publication turns a subscription into editions.
public enum EntitlementPolicy: String, Sendable, CaseIterable {
    /// An active subscription opens everything; any other only the editions that the subscriber system lists singly.
    case accessBased = "access"
    /// The subscriber system lists the editions.
    case issueBased = "issue"
    /// Every edition published while a subscription ran, besides those listed singly; one of the future is not yet published.
    case periodBased = "period"
    /// The subscriber system's own word is final, "everything" and its verdicts on single editions included. Under the other
    /// policies no verdict is asked for, so that what a verification lists and what credentials open can not differ.
    case backendDecides = "backend"
}

/// The editions a reader gets beside those held.
public struct GraceRules: Sendable, Equatable {
    /// For each edition held, so many that came out just before it.
    public var previousOfHeld: Int
    /// For an active reader, so many of the newest.
    public var newestForActive: Int

    public init(previousOfHeld: Int = 0, newestForActive: Int = 0) {
        self.previousOfHeld = previousOfHeld
        self.newestForActive = newestForActive
    }
}

/// A publication's rule from a backend's subscription to the one the app is told.
public struct EntitlementRule: Sendable {
    public let policy: EntitlementPolicy
    public let grace: GraceRules
    public private(set) var currentCatalogue: CurrentCatalogue
    /// Whether a list of everything is absent for inactive readers too. Only the test endpoint answers so (PROTOCOLS 1.3,
    /// `lapsedall`): to some apps an absent list means everything.
    private let omitsInactiveList: Bool

    /// - Parameter catalogue: read at each decision, so that a new edition counts as soon as its source tells of it.
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

    /// Returns the same rule over another catalogue.
    public func over(_ catalogue: CurrentCatalogue) -> EntitlementRule {
        var rule = self
        rule.currentCatalogue = catalogue
        return rule
    }

    /// The subscription with its final entitlement at `moment`.
    public func apply(to subscription: Subscription, at moment: Date) -> Subscription {
        var result = subscription
        result.entitlement = entitlement(for: subscription, at: moment)
        return result
    }

    private func entitlement(for subscription: Subscription, at moment: Date) -> Entitlement {
        let catalogue = catalogue
        switch subscription.state {
        case .unknown, .suspended, .stale:
            return .nothing
        case .active, .inactive:
            break
        }
        switch policy {
        case .backendDecides:
            // An inactive reader's list is never absent: to some apps that is everything (PROTOCOLS 6A row 9).
            let mayOmitList = subscription.state == .active || omitsInactiveList
            if subscription.entitlement == .allEditions, mayOmitList { return .allEditions }
            return withFreeAndGrace(listed(subscription), subscription, at: moment)
        case .accessBased:
            return subscription.state == .active
                ? .allEditions : withFreeAndGrace(listed(subscription), subscription, at: moment)
        case .issueBased:
            return withFreeAndGrace(listed(subscription), subscription, at: moment)
        case .periodBased:
            let held = subscription.periods.reduce(into: Set<EditionID>()) {
                $0.formUnion(catalogue.published(during: $1, by: moment))
            }
            return withFreeAndGrace(listed(subscription).union(held), subscription, at: moment)
        }
    }

    /// The editions that a backend names, and those of the catalogue that begin as it says.
    ///
    /// Under a policy of lists a backend's "everything" is a mapping gone wrong, and grants nothing (PITFALLS row 1).
    private func listed(_ subscription: Subscription) -> Set<EditionID> {
        guard case .editions(var held) = subscription.entitlement else { return [] }
        if !subscription.beginnings.isEmpty {
            held.formUnion(
                catalogue.editions.lazy.map(\.id).filter { id in subscription.beginnings.contains { $0.includes(id) } })
        }
        return held
    }

    private func withFreeAndGrace(
        _ held: Set<EditionID>, _ subscription: Subscription, at moment: Date
    ) -> Entitlement {
        let catalogue = catalogue
        var all = held
        if !catalogue.freeEditions.isEmpty {
            all.formUnion(catalogue.freeEditions.lazy.filter { catalogue.isFree($0, at: moment) })
        }
        if grace.previousOfHeld > 0 {
            for edition in held { all.formUnion(catalogue.previous(grace.previousOfHeld, before: edition)) }
        }
        if grace.newestForActive > 0, subscription.state == .active {
            all.formUnion(catalogue.newest(grace.newestForActive, at: moment))
        }
        return .editions(catalogue.out(of: all, at: moment))
    }
}
