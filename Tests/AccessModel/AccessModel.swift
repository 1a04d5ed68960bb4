public import Foundation
public import Gatefold

/// A publication's rules as its publisher would say them: who may have which edition, and what holds on bad days.
///
/// Nothing here comes from the program but its words: each rule is said once more, in the plainest way, so that the program can
/// be compared with it. What the subscriber system said, and for how long that counts, is ``HouseMemory``'s business.
public struct AccessModel: Sendable {
    public var policy: EntitlementPolicy
    public var grace: GraceRules
    /// Nil where the publication has no catalogue: then any edition may be there.
    public var editions: [Edition]?
    /// Whether there is to be a catalogue, and nothing is known of it yet.
    public var isAwaited: Bool
    public var failsOpen: Bool

    public init(
        policy: EntitlementPolicy, grace: GraceRules = GraceRules(), editions: [Edition]?, isAwaited: Bool = false,
        failsOpen: Bool = false
    ) {
        self.policy = policy
        self.grace = grace
        self.editions = editions
        self.isAwaited = isAwaited
        self.failsOpen = failsOpen
    }

    // MARK: - The shelf

    /// An edition is out from its date on, drafts never. Against one that no catalogue knows nothing can be said.
    public func isOut(_ id: EditionID, at now: Date) -> Bool {
        guard let edition = edition(id) else { return !isAwaited }
        return !edition.isDraft && edition.published <= now
    }

    /// A free edition is everybody's as soon as it is out.
    public func isFree(_ id: EditionID, at now: Date) -> Bool { free(at: now).contains(id) }

    /// Of an edition that a catalogue does not know nothing is remembered.
    public func mayBeThere(_ id: EditionID) -> Bool { editions == nil || edition(id) != nil }

    private func edition(_ id: EditionID) -> Edition? { editions?.first { $0.id == id } }

    private func out(at now: Date) -> [Edition] { (editions ?? []).filter { isOut($0.id, at: now) } }

    private func free(at now: Date) -> Set<EditionID> { Set(out(at: now).filter(\.isFree).map(\.id)) }

    // MARK: - What a word of the subscriber system opens

    /// The list that goes with a word: everything is only ever said where the policy says so.
    public func list(of word: Subscription, at now: Date) -> Entitlement {
        guard word.state == .active || word.state == .inactive else { return .nothing }
        if policy == .accessBased, word.state == .active { return .allEditions }
        if policy == .backendDecides, word.state == .active, word.entitlement == .allEditions { return .allEditions }
        var held: Set<EditionID> = []
        if case .editions(let named) = word.entitlement { held = named }
        if policy == .periodBased {
            for edition in out(at: now) where word.periods.contains(where: { Self.ran($0, at: edition.published) }) {
                held.insert(edition.id)
            }
        }
        return .editions(held.union(free(at: now)).union(graced(held, word, at: now)).filter { isOut($0, at: now) })
    }

    /// From its first moment to its last, both included; without an end it runs on.
    private static func ran(_ period: Period, at moment: Date) -> Bool {
        if moment < period.start { return false }
        guard let end = period.end else { return true }
        return moment <= end
    }

    /// So many before each that is held, and for the active so many of the newest.
    private func graced(_ held: Set<EditionID>, _ word: Subscription, at now: Date) -> Set<EditionID> {
        let finished = (editions ?? []).filter { !$0.isDraft }.sorted { $0.published > $1.published }
        var all: Set<EditionID> = []
        for id in held {
            guard let own = edition(id) else { continue }
            let earlier = finished.filter { $0.published < own.published }
            all.formUnion(earlier.prefix(grace.previousOfHeld).map(\.id))
        }
        guard word.state == .active else { return all }
        let shown = finished.filter { $0.published <= now && $0.withdrawn == nil }
        return all.union(shown.prefix(grace.newestForActive).map(\.id))
    }

    /// Whether a word opens an edition: "everything" is for the active alone, a list also for whoever pays no more.
    public func opens(_ id: EditionID, _ word: Subscription, at now: Date) -> Bool {
        switch list(of: word, at: now) {
        case .allEditions: word.state == .active
        case .editions(let held): held.contains(id)
        }
    }

    // MARK: - What a reader is answered

    /// - Parameters:
    ///   - heard: asked for where it decides.
    ///   - bought: in the app stores; nil while nobody can say.
    public func verification(
        _ token: TokenStanding, heard: () throws -> Heard<Subscription>, bought: Set<EditionID>?, at now: Date
    ) rethrows -> ModelVerification {
        switch token {
        case .unreadable, .ended, .expired: return .told(.unknown, .nothing)
        case .missing, .renewable: return .told(.stale, .nothing)
        case .good: break
        }
        guard let bought, let word = try heard().word else { return .comeBack }
        let list = list(of: word, at: now)
        if isAwaited, list != .allEditions, word.state == .active || word.state == .inactive { return .comeBack }
        if bought.isEmpty { return .told(word.state, list) }
        let state: SubscriptionState = word.state == .active ? .active : .inactive
        switch list {
        case .allEditions where state == .active: return .told(state, .allEditions)
        case .allEditions: return .told(state, .editions(bought.union(free(at: now)).filter { isOut($0, at: now) }))
        case .editions(let held):
            return .told(state, .editions(held.union(bought).union(free(at: now)).filter { isOut($0, at: now) }))
        }
    }

    /// - Parameters:
    ///   - verdict: the subscriber system's own on this edition, nil where it leaves that to the subscription.
    ///   - wasRefused: whether the last word about the reader, or about this edition for the reader, was a refusal.
    ///   - wasEditionRefused: the same of this edition for the reader alone.
    public func credentials(
        _ token: TokenStanding, for edition: EditionID, verdict: () throws -> Heard<EditionVerdict?>,
        heard: () throws -> Heard<Subscription>, bought: Set<EditionID>?, wasRefused: () -> Bool,
        wasEditionRefused: () -> Bool = { false }, at now: Date
    ) rethrows -> ModelCredentials {
        switch token {
        case .missing, .unreadable, .ended: return .refused(.notRecognised)
        case .expired, .renewable: return .refused(.expired)
        case .good: break
        }
        if isAwaited { return .comeBack }
        if !isOut(edition, at: now) { return .refused(.notEntitled) }
        if isFree(edition, at: now) || bought?.contains(edition) == true { return .granted }
        let (answer, isEarlier) = try word(on: edition, verdict, heard, at: now)
        switch answer {
        // What was granted once is not given any more where it was refused since.
        case .granted where !isEarlier || !wasEditionRefused(): return .granted
        case .refused where bought != nil: return answer
        // Nobody can say: only a publication that fails open gives anything, and only what nobody has refused.
        default:
            return failsOpen && mayBeThere(edition) && !wasRefused() ? .grantedForNow : .comeBack
        }
    }

    private func word(
        on edition: EditionID, _ verdict: () throws -> Heard<EditionVerdict?>,
        _ heard: () throws -> Heard<Subscription>,
        at now: Date
    ) rethrows -> (ModelCredentials, isEarlier: Bool) {
        var isEarlier = false
        // Under any other policy the subscription decides, as it does for the list.
        if policy == .backendDecides {
            let verdict = try verdict()
            isEarlier = verdict.isEarlier
            guard let own = verdict.word else { return (.comeBack, false) }
            switch own {
            case .granted: return (.granted, isEarlier)
            case .refused(let reason, _), .leftTo(_, otherwise: let reason, _): return (.refused(reason), isEarlier)
            case nil: break
            }
        }
        let heard = try heard()
        guard let subscription = heard.word else { return (.comeBack, false) }
        isEarlier = isEarlier || heard.isEarlier
        if opens(edition, subscription, at: now) { return (.granted, isEarlier) }
        switch subscription.state {
        case .unknown: return (.refused(.notRecognised), isEarlier)
        case .stale: return (.refused(.expired), isEarlier)
        case .active, .inactive, .suspended: return (.refused(.notEntitled), isEarlier)
        }
    }
}
