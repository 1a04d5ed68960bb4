import Gatefold

/// What the members remember of somebody who has been recognised, put together as their answers are: nothing where one of
/// those that would be asked does not remember its answer.
extension ChainBackend {
    func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
        let told = Self.remembered(by: memberships(of: subscriber)) {
            $0.backend.rememberedSubscription(of: $0.subscriber, inquiry: inquiry)
        }
        return told.map { Remembered(SubscriptionUnion.of($0.value), standing: $0.standing) }
    }

    func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>? {
        let memberships = memberships(of: subscriber)
        let told = Self.remembered(by: memberships) {
            $0.backend.rememberedVerdict(on: edition, for: $0.subscriber, inquiry: inquiry)
        }
        guard let told else { return nil }
        var verdicts = VerdictUnion(count: memberships.count)
        for (member, verdict) in told.value.enumerated() { _ = verdicts.take(.success(verdict.asked), from: member) }
        // It throws what befell a member that was asked, and none was.
        guard let outcome = try? verdicts.outcome() else { return nil }
        switch outcome {
        case .verdict(let verdict):
            return Remembered(verdict.map { .verdict($0) } ?? RememberedVerdict.none, standing: told.standing)
        case .subscriptions(of: let undecided, told: let subscriptions, otherwise: let refusal):
            let others = Self.remembered(by: undecided.map { memberships[$0] }) {
                $0.backend.rememberedSubscription(of: $0.subscriber, inquiry: inquiry)
            }
            guard let others else { return nil }
            let verdict = EditionVerdict.leftTo(
                subscriptions + others.value, otherwise: refusal.reason, message: refusal.message)
            return Remembered(RememberedVerdict.verdict(verdict), standing: told.standing.joined(with: others.standing))
        }
    }

    /// What all of them remember, in the members' order, for as long as all of it stands.
    private static func remembered<Answer: Sendable>(
        by memberships: [ChainMembership], _ look: (ChainMembership) -> Remembered<Answer>?
    ) -> Remembered<[Answer]>? {
        var answers: [Answer] = []
        var standing = Standing()
        for membership in memberships {
            guard let known = look(membership) else { return nil }
            answers.append(known.value)
            standing = standing.joined(with: known.standing)
        }
        return Remembered(answers, standing: standing)
    }
}

extension RememberedVerdict {
    /// As it is when the backend is asked.
    fileprivate var asked: EditionVerdict? {
        switch self {
        case .verdict(let verdict): verdict
        case .none: nil
        }
    }
}
