public import Foundation
public import Gatefold

/// An independent statement of a publication's rules: which reader may read which edition, and the result during an
/// outage.
///
/// It shares only types with the program. Each rule is stated again in the simplest way, for a comparison with the
/// program. ``ModelCache`` models the results of the subscriber system and their lifetime.
public struct AccessModel: Sendable {
    public var policy: EntitlementPolicy
    public var grace: GraceRules
    /// The editions, or nil without a catalogue: then any edition may exist.
    public var editions: [Edition]?
    /// Whether the first catalogue is still pending.
    public var isPending: Bool
    public var failsOpen: Bool

    public init(
        policy: EntitlementPolicy, grace: GraceRules = GraceRules(), editions: [Edition]?, isPending: Bool = false,
        failsOpen: Bool = false
    ) {
        self.policy = policy
        self.grace = grace
        self.editions = editions
        self.isPending = isPending
        self.failsOpen = failsOpen
    }

    // MARK: - Catalogue

    /// Returns whether an edition is published: from its date on, and never for drafts. An unknown edition counts as
    /// published, unless the first catalogue is pending.
    public func isPublished(_ id: EditionID, at now: Date) -> Bool {
        guard let edition = edition(id) else { return !isPending }
        return !edition.isDraft && edition.published <= now
    }

    /// Returns whether an edition is free, which holds from its publication on.
    public func isFree(_ id: EditionID, at now: Date) -> Bool { free(at: now).contains(id) }

    /// Returns whether an edition may exist. Nothing is cached about an edition that the catalogue does not contain.
    public func mayBeThere(_ id: EditionID) -> Bool { editions == nil || edition(id) != nil }

    private func edition(_ id: EditionID) -> Edition? { editions?.first { $0.id == id } }

    private func out(at now: Date) -> [Edition] { (editions ?? []).filter { isPublished($0.id, at: now) } }

    private func free(at now: Date) -> Set<EditionID> { Set(out(at: now).filter(\.isFree).map(\.id)) }

    // MARK: - Subscriptions

    /// Returns the list of a subscription. It is "everything" only if the policy allows it.
    public func list(of value: Subscription, at now: Date) -> Entitlement {
        guard value.state == .active || value.state == .inactive else { return .nothing }
        if policy == .accessBased, value.state == .active { return .allEditions }
        if policy == .backendDecides, value.state == .active, value.entitlement == .allEditions { return .allEditions }
        var held: Set<EditionID> = []
        if case .editions(let named) = value.entitlement { held = named }
        if policy == .periodBased {
            for edition in out(at: now) where value.periods.contains(where: { Self.ran($0, at: edition.published) }) {
                held.insert(edition.id)
            }
        }
        return .editions(
            held.union(free(at: now)).union(graced(held, value, at: now)).filter { isPublished($0, at: now) })
    }

    /// Returns whether a period includes a time, with both ends included. A period without an end continues.
    private static func ran(_ period: Period, at timestamp: Date) -> Bool {
        if timestamp < period.start { return false }
        guard let end = period.end else { return true }
        return timestamp <= end
    }

    /// Returns the held editions with the grace editions before each, and the newest ones for active readers.
    private func graced(_ held: Set<EditionID>, _ value: Subscription, at now: Date) -> Set<EditionID> {
        let finished = (editions ?? []).filter { !$0.isDraft }.sorted { $0.published > $1.published }
        var all: Set<EditionID> = []
        for id in held {
            guard let own = edition(id) else { continue }
            let earlier = finished.filter { $0.published < own.published }
            all.formUnion(earlier.prefix(grace.previousOfHeld).map(\.id))
        }
        guard value.state == .active else { return all }
        let shown = finished.filter { $0.published <= now && $0.withdrawn == nil }
        return all.union(shown.prefix(grace.newestForActive).map(\.id))
    }

    /// Returns whether a subscription opens an edition. "Everything" applies to active readers only, a list also to
    /// inactive ones.
    public func opens(_ id: EditionID, _ value: Subscription, at now: Date) -> Bool {
        switch list(of: value, at: now) {
        case .allEditions: value.state == .active
        case .editions(let held): held.contains(id)
        }
    }

    // MARK: - Responses

    /// - Parameters:
    ///   - heard: The subscriber system's result, requested only if it matters.
    ///   - bought: The store purchases, or nil if they are unavailable.
    public func verification(
        _ token: TokenStatus, heard: () throws -> Received<Subscription>, bought: Set<EditionID>?, at now: Date
    ) rethrows -> ModelVerification {
        switch token {
        case .unreadable, .ended, .expired: return .reported(.unknown, .nothing)
        case .missing, .renewable: return .reported(.stale, .nothing)
        case .good: break
        }
        guard let bought, let value = try heard().value else { return .unavailable }
        let list = list(of: value, at: now)
        if isPending, list != .allEditions, value.state == .active || value.state == .inactive { return .unavailable }
        if bought.isEmpty { return .reported(value.state, list) }
        let state: SubscriptionState = value.state == .active ? .active : .inactive
        switch list {
        case .allEditions where state == .active: return .reported(state, .allEditions)
        case .allEditions:
            return .reported(state, .editions(bought.union(free(at: now)).filter { isPublished($0, at: now) }))
        case .editions(let held):
            return .reported(
                state, .editions(held.union(bought).union(free(at: now)).filter { isPublished($0, at: now) }))
        }
    }

    /// - Parameters:
    ///   - verdict: The subscriber system's own verdict on the edition, or nil if the subscription decides.
    ///   - wasRejected: Whether the last result for the reader, or for this edition and the reader, was a denial.
    ///   - wasEditionDenied: Whether the last result for this edition and the reader was a denial.
    public func credentials(
        _ token: TokenStatus, for edition: EditionID, verdict: () throws -> Received<EditionVerdict?>,
        heard: () throws -> Received<Subscription>, bought: Set<EditionID>?, wasRejected: () -> Bool,
        wasEditionDenied: () -> Bool = { false }, at now: Date
    ) rethrows -> ModelCredentials {
        switch token {
        case .missing, .unreadable, .ended: return .rejected(.rejected)
        case .expired, .renewable: return .rejected(.expired)
        case .good: break
        }
        if isPending { return .unavailable }
        if !isPublished(edition, at: now) { return .rejected(.notEntitled) }
        if isFree(edition, at: now) || bought?.contains(edition) == true { return .granted }
        let (result, isLastKnownGood) = try value(on: edition, verdict, heard, at: now)
        switch result {
        // An earlier grant is not repeated after a denial.
        case .granted where !isLastKnownGood || !wasEditionDenied(): return .granted
        case .rejected where bought != nil: return result
        // Without any result, only a publication that fails open grants access, and only without an earlier denial.
        default:
            return failsOpen && mayBeThere(edition) && !wasRejected() ? .grantedForNow : .unavailable
        }
    }

    private func value(
        on edition: EditionID, _ verdict: () throws -> Received<EditionVerdict?>,
        _ heard: () throws -> Received<Subscription>,
        at now: Date
    ) rethrows -> (ModelCredentials, isLastKnownGood: Bool) {
        var isLastKnownGood = false
        // Under any other policy the subscription decides, as it does for the list.
        if policy == .backendDecides {
            let verdict = try verdict()
            isLastKnownGood = verdict.isLastKnownGood
            guard let own = verdict.value else { return (.unavailable, false) }
            switch own {
            case .granted: return (.granted, isLastKnownGood)
            case .rejected(let reason, _), .deferred(_, otherwise: let reason, _):
                return (.rejected(reason), isLastKnownGood)
            case nil: break
            }
        }
        let heard = try heard()
        guard let subscription = heard.value else { return (.unavailable, false) }
        isLastKnownGood = isLastKnownGood || heard.isLastKnownGood
        if opens(edition, subscription, at: now) { return (.granted, isLastKnownGood) }
        switch subscription.state {
        case .unknown: return (.rejected(.rejected), isLastKnownGood)
        case .stale: return (.rejected(.expired), isLastKnownGood)
        case .active, .inactive, .suspended: return (.rejected(.notEntitled), isLastKnownGood)
        }
    }
}
