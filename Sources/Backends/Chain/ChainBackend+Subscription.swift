import Gatefold

/// Queries about an authenticated subscriber, sent to the members that know the subscriber.
extension ChainBackend {
    /// Returns the union of the reader's subscriptions. See ``SubscriptionUnion``.
    ///
    /// The state is `unknown` if only members that the chain no longer has know the reader. The reader must then
    /// sign in again.
    ///
    /// - Throws: An error if any member fails, because a partial union would withdraw editions to which the reader
    ///   is entitled.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let all = try await Self.concurrently(memberships(of: subscriber)) { membership in
            try await membership.backend.subscription(of: membership.subscriber, context: context)
        }
        return Fetched.all(all).map(SubscriptionUnion.of)
    }

    /// Renews the session at the member that authenticated the reader. That member decides. Other members that no
    /// longer know the reader are omitted from the new token.
    ///
    /// - Throws: An error if any member fails.
    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        let memberships = memberships(of: subscriber)
        guard let first = memberships.first, first.subscriber.backend == subscriber.backend,
            first.subscriber.key == subscriber.key
        else { return .rejected(message: nil) }
        let authentication = try await first.backend.renew(first.subscriber, context: context)
        guard case .authenticated(let renewed) = authentication else { return authentication }
        let others = try await Self.concurrently(Array(memberships.dropFirst())) { membership in
            try await membership.backend.renew(membership.subscriber, context: context)
        }
        let retained = others.compactMap { authentication -> Subscriber? in
            if case .authenticated(let subscriber) = authentication { subscriber } else { nil }
        }
        return .authenticated(try Self.joining([renewed] + retained))
    }

    /// Returns the union of the members' verdicts. See ``VerdictUnion``.
    ///
    /// - Throws: An error if a member fails, unless another one grants.
    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        let memberships = memberships(of: subscriber)
        let outcome = try await verdicts(on: edition, of: memberships, context).outcome()
        switch outcome.value {
        case .verdict(let verdict): return outcome.map { _ in verdict }
        case .subscriptions(of: let undecided, let reported, let rejection):
            let others = try await Self.concurrently(undecided.map { memberships[$0] }) { membership in
                try await membership.backend.subscription(of: membership.subscriber, context: context)
            }
            return outcome.combined(with: Fetched.all(others)) { _, others in
                .deferred(reported + others, otherwise: rejection.reason, message: rejection.message)
            }
        }
    }

    /// Queries all members concurrently until one grants.
    private func verdicts(
        on edition: EditionID?, of memberships: [ChainMembership], _ context: CallContext
    ) async throws -> VerdictUnion {
        try await withThrowingTaskGroup(of: MemberResult<Fetched<EditionVerdict?>>.self) { group in
            for (index, membership) in memberships.enumerated() {
                group.addImmediateTask {
                    await MemberResult(index) {
                        try await membership.backend.verdict(
                            on: edition, for: membership.subscriber, context: context)
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

    /// Signs out at every member, even if the call to another member fails.
    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        let failures = try await Self.concurrently(memberships(of: subscriber)) { membership -> (any Error)? in
            do {
                try await membership.backend.signOut(membership.subscriber, context: context)
                return nil
            } catch {
                return error
            }
        }
        if let failure = failures.lazy.compactMap(\.self).first { throw failure }
    }

    /// Queries all members concurrently and returns the results in their order. The first error cancels the other
    /// queries.
    private static func concurrently<Value: Sendable>(
        _ memberships: [ChainMembership], _ operation: @escaping @Sendable (ChainMembership) async throws -> Value
    ) async throws -> [Value] {
        if memberships.count == 1 { return [try await operation(memberships[0])] }
        return try await withThrowingTaskGroup(of: MemberResult<Value>.self) { group in
            for (index, membership) in memberships.enumerated() {
                group.addImmediateTask { await MemberResult(index) { try await operation(membership) } }
            }
            var results: [Int: Value] = [:]
            for try await member in group { results[member.position] = try member.result.get() }
            return memberships.indices.compactMap { results[$0] }
        }
    }
}
