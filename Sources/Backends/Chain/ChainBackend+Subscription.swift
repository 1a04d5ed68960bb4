import Gatefold

/// Questions about somebody who has been recognised: put to the members that know them.
extension ChainBackend {
    /// The union of the reader's subscriptions, see ``SubscriptionUnion``.
    ///
    /// Somebody known only to members that the chain no longer has is nobody any more: the state is `unknown`, and they sign
    /// in again.
    ///
    /// - Throws: when any of the members could not be asked: a smaller answer would take from the app what it rightly has.
    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let all = try await Self.concurrently(memberships(of: subscriber)) { membership in
            try await membership.backend.subscription(of: membership.subscriber, inquiry: inquiry)
        }
        return SubscriptionUnion.of(all)
    }

    /// The member that answered decides; of the others, those that no longer know the reader are left out of the new token.
    ///
    /// - Throws: when any of the members could not be asked.
    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        let memberships = memberships(of: subscriber)
        guard let first = memberships.first, first.subscriber.backend == subscriber.backend,
            first.subscriber.key == subscriber.key
        else { return .notRecognised(message: nil) }
        let recognition = try await first.backend.renew(first.subscriber, inquiry: inquiry)
        guard case .recognised(let renewed) = recognition else { return recognition }
        let others = try await Self.concurrently(Array(memberships.dropFirst())) { membership in
            try await membership.backend.renew(membership.subscriber, inquiry: inquiry)
        }
        let kept = others.compactMap { recognition -> Subscriber? in
            if case .recognised(let subscriber) = recognition { subscriber } else { nil }
        }
        return .recognised(try Self.joining([renewed] + kept))
    }

    /// One verdict of the members', see ``VerdictUnion``.
    ///
    /// - Throws: when a member could not be asked, unless another one grants.
    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        let memberships = memberships(of: subscriber)
        switch try await verdicts(on: edition, of: memberships, inquiry).outcome() {
        case .verdict(let verdict): return verdict
        case .subscriptions(of: let undecided, let told, let refusal):
            let others = try await Self.concurrently(undecided.map { memberships[$0] }) { membership in
                try await membership.backend.subscription(of: membership.subscriber, inquiry: inquiry)
            }
            return .leftTo(told + others, otherwise: refusal.reason, message: refusal.message)
        }
    }

    /// Asks all at once, until one grants.
    private func verdicts(
        on edition: EditionID?, of memberships: [ChainMembership], _ inquiry: Inquiry
    ) async throws -> VerdictUnion {
        try await withThrowingTaskGroup(of: MemberResult<EditionVerdict?>.self) { group in
            for (index, membership) in memberships.enumerated() {
                group.addTask {
                    await MemberResult(index) {
                        try await membership.backend.verdict(
                            on: edition, for: membership.subscriber, inquiry: inquiry)
                    }
                }
            }
            var verdicts = VerdictUnion(count: memberships.count)
            while let member = try await group.next() {
                try Task.checkCancellation()
                if verdicts.take(member.result, from: member.position) {
                    group.cancelAll()
                    break
                }
            }
            return verdicts
        }
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool {
        memberships(of: subscriber).contains { $0.backend.grantsFeed(to: $0.subscriber) }
    }

    /// Every member is told, also when another could not be.
    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        let failures = try await Self.concurrently(memberships(of: subscriber)) { membership -> (any Error)? in
            do {
                try await membership.backend.signOut(membership.subscriber, inquiry: inquiry)
                return nil
            } catch {
                return error
            }
        }
        if let failure = failures.lazy.compactMap(\.self).first { throw failure }
    }

    /// Asks all at once; answers come in the members' order. The first error ends the others.
    private static func concurrently<Answer: Sendable>(
        _ memberships: [ChainMembership], _ question: @escaping @Sendable (ChainMembership) async throws -> Answer
    ) async throws -> [Answer] {
        if memberships.count == 1 { return [try await question(memberships[0])] }
        return try await withThrowingTaskGroup(of: MemberResult<Answer>.self) { group in
            for (index, membership) in memberships.enumerated() {
                group.addTask { await MemberResult(index) { try await question(membership) } }
            }
            var answers: [Int: Answer] = [:]
            for try await member in group { answers[member.position] = try member.result.get() }
            return memberships.indices.compactMap { answers[$0] }
        }
    }
}
