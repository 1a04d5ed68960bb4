import Foundation
public import Gatefold
import Protections

/// What is shared with other processes on the same state, and what they share with this one.
extension ProtectedBackend {
    /// Takes in what another process learnt: it holds within the moment, whatever is remembered here.
    public func follow(_ fact: SharedFact) {
        switch fact.id.kind {
        case .denial:
            if let denied = DenialCache.denied(by: fact) {
                cache.deny(
                    Self.group(denied.subscriber), AnswerRules.Consequence(denied.denial), on: denied.edition,
                    askedUntil: fact.moment)
            } else if let denied = DenialCache.deniedMany(by: fact) {
                cache.deny(Self.group(denied.subscriber), onEditions: denied.contains, askedUntil: fact.moment)
            } else {
                return
            }
            coalescing.closeDoors()
        case .credentials:
            guard fact.id.backend == name, let credentials = ConfirmedCredentials(fact) else { return }
            cache.forgetCredentials(of: credentials.group, askedUntil: fact.moment) { [keys] proofs in
                credentials.excludes(keys.mark(of: proofs, for: credentials.group))
            }
        case .invalidation:
            guard fact.id.backend == name else { return }
            if fact.id.subject.isEmpty {
                _ = cache.forgetAll()
            } else if let group = AnswerMemory.Group(factSubject: fact.id.subject) {
                cache.forget(group, askedUntil: fact.moment)
            }
            coalescing.closeDoors()
        }
    }

    /// Shares what the backend said of credentials.
    func share(_ told: Told, _ subject: AnswerMemory.Subject) {
        guard settings.cache != nil, case .recognition(let recognition) = told.answer, let proofs = subject.proofs
        else { return }
        let (facts, moment) = (services.credentialFacts, cache.date(of: told.asked))
        func word(_ group: AnswerMemory.Group) -> CredentialFacts.Word {
            CredentialFacts.Word(
                mark: keys.mark(of: proofs, for: group), group: group, backend: name, asked: told.asked.seconds,
                moment: moment, end: end(of: moment))
        }
        switch recognition {
        case .recognised:
            for group in subject.groups { facts.confirm(word(group)) }
        case .notRecognised(_, let found):
            // Whoever was found may be remembered by another spelling of the identifier.
            for group in subject.groups + found.all.map({ self.group(of: $0) }) { facts.refuse(word(group)) }
        }
    }

    /// Shares that what is known of somebody no longer holds; nil for everybody.
    func shareInvalidation(of group: AnswerMemory.Group?) {
        guard settings.cache != nil else { return }
        let now = services.clock.now
        services.credentialFacts.invalidate(group?.factSubject ?? [], in: name, at: now, until: end(of: now))
    }

    /// Tells whoever signs somebody in that the answer was remembered.
    func noteRecall(_ question: Question, _ answer: Answer) {
        guard case .recognise(let credentials) = question, case .recognition(.recognised(let subscriber)) = answer
        else { return }
        let proofs = credentials.form == .typed ? keys.proofs(of: credentials) : nil
        let groups = [.identifier(keys.identifier(credentials.identifier)), group(of: subscriber)]
        RecalledSignIns.note(
            RecalledSignIn(
                backend: name,
                names: groups.map { group in
                    RecalledSignIn.Name(
                        subject: group.factSubject, mark: proofs.map { keys.mark(of: $0, for: group) })
                }))
    }

    /// From then on no process remembers what it knew at a moment.
    private func end(of moment: Date) -> Date {
        let longest = settings.cache.map { max($0.freshness, $0.lastKnownGood) } ?? 0
        return moment.addingTimeInterval(longest + 3600)
    }
}

extension CredentialFacts {
    /// Whether a sign-in from memory is undone by a fact.
    public static func undoes(_ fact: SharedFact, _ recalled: RecalledSignIn) -> Bool {
        guard fact.id.backend == recalled.backend else { return false }
        switch fact.id.kind {
        case .denial: return false
        case .credentials:
            guard let credentials = ConfirmedCredentials(fact) else { return false }
            return recalled.names.contains { name in
                name.subject == fact.id.subject && (name.mark.map(credentials.excludes) ?? false)
            }
        case .invalidation: return recalled.names.contains { $0.subject == fact.id.subject }
        }
    }
}

extension AnswerRules.Consequence {
    /// What a denial in another process takes with it here.
    init(_ denial: Denial) {
        switch denial {
        case .edition: self = .edition
        case .stale: self = .verdicts
        case .inactive: self = .activity
        case .suspended: self = .subscriptions
        case .unknown: self = .everything
        }
    }
}
