import Gatefold

/// A backend that combines several backends.
///
/// A subscriber has the name and key of the member that authenticated it. A token therefore identifies its backend
/// and remains valid without the chain. If several systems know a reader, the session also lists the other
/// memberships. See ``ChainSession``.
///
/// A chain has no health check of its own because its members report their health.
struct ChainBackend: CompositeBackend, CredentialSelectingBackend, EditionDecidingBackend, FeedGrantingBackend,
    LookupBackend, RenewingBackend, SelfServiceBackend, SigningOutBackend, VaryingBackend
{
    let name: String
    let members: [ChainMember]
    let order: ChainOrder
    /// The lazy migration, or `nil` if no readers are migrated.
    let lazyMigration: LazyMigration?

    func handles(_ backend: String) -> Bool {
        backend == name || members.contains { $0.backend.handles(backend) }
    }

    func accepts(_ kind: Credentials.Kind) -> Bool { members.contains { $0.backend.accepts(kind) } }

    /// The registry of the first member that has one, because readers register in one place.
    var registry: (any SubscriberRegistry)? { members.lazy.compactMap(\.backend.registry).first }

    var varyingFields: Set<String> { members.reduce(into: []) { $0.formUnion($1.backend.varyingFields) } }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        // Members that do not accept this kind of credentials do not take part.
        let members = members.filter { $0.backend.accepts(credentials.kind) }
        guard !members.isEmpty else { return .rejected(message: nil) }
        var results: [Result<Fetched<AuthenticationResult>, any Error>?] = Array(repeating: nil, count: members.count)
        let outcome = try await query(members, credentials, context) { results[$0.position] = $0.result }
        switch outcome {
        case .unavailable:
            throw ChainFailure.unavailable(
                members: zip(members, results).compactMap { member, result in
                    guard case .failure(let error) = result else { return nil }
                    return ChainFailure.Cause(member: member.backend.name, error: error)
                })
        case .rejected:
            // All queried members rejected, so the message is the same for every rejected reader.
            var firstMessage: String?
            var found: [Subscriber] = []
            for case .success(let result) in results {
                guard case .rejected(let message, let own) = result.value else { continue }
                firstMessage = firstMessage ?? message
                found += own.all
            }
            return .rejected(message: firstMessage, found: FoundSubscribers(found))
        case .authenticated(let positions):
            let found = positions.compactMap { position -> Fetched<Subscriber>? in
                guard case .success(let result) = results[position], case .authenticated(let subscriber) = result.value
                else { return nil }
                return result.map { _ in subscriber }
            }
            return try Fetched.all(found).map { .authenticated(try admit($0, credentials, context)) }
        }
    }

    /// Queries the members in the order that the decision requires and records each result on arrival.
    private func query(
        _ members: [ChainMember], _ credentials: Credentials, _ context: CallContext,
        record: (MemberResult<Fetched<AuthenticationResult>>) -> Void
    ) async throws -> ChainDecision.Outcome {
        var decision = ChainDecision(members.map(\.rule), order: order)
        return try await withThrowingTaskGroup(
            of: MemberResult<Fetched<AuthenticationResult>>.self
        ) { group -> ChainDecision.Outcome in
            var action = decision.start()
            while true {
                switch action {
                case .finish(let outcome):
                    group.cancelAll()
                    return outcome
                case .query(let positions):
                    for position in positions {
                        let backend = members[position].backend
                        group.addImmediateTask {
                            await MemberResult(position) {
                                try await backend.authenticate(credentials, context: context)
                            }
                        }
                    }
                case .wait:
                    break
                }
                guard let member = try await group.next() else { return .unavailable }
                // A member's query ends when the calling task is cancelled, which says nothing about the member.
                try Task.checkCancellation()
                record(member)
                action = decision.take(member.result.memberOutcome, from: member.position)
            }
        }
    }

    private func admit(
        _ found: [Subscriber], _ credentials: Credentials, _ context: CallContext
    ) throws -> Subscriber {
        let subscriber = try Self.joining(found)
        // A reader cannot sign in to our own store with credentials from an app store.
        guard credentials.kind == .typed else { return subscriber }
        lazyMigration?.scheduleMigration(
            credentials, in: memberships(of: subscriber).filter { $0.backend.name != lazyMigration?.name },
            context: context)
        return subscriber
    }

    /// Returns the subscriber for the token: the first one, with the others as links.
    ///
    /// - Parameter found: At least one subscriber.
    /// - Throws: ``ChainFailure/sessionTooLong`` if the session does not fit into a token.
    static func joining(_ found: [Subscriber]) throws -> Subscriber {
        let first = found[0]
        var links: [Subscriber] = []
        for other in found.dropFirst()
        where !([first] + links).contains(where: { $0.backend == other.backend && $0.key == other.key }) {
            links.append(other)
        }
        let session = ChainSession(own: first.upstreamSession, links: links).upstreamSession
        let length = first.backend.utf8.count + first.key.utf8.count + (session?.utf8.count ?? 0)
        guard length <= SealedTokenCodec.maxSubscriberLength else { throw ChainFailure.sessionTooLong }
        return Subscriber(backend: first.backend, key: first.key, upstreamSession: session)
    }

    /// Returns the subscriber's memberships, the authenticating member first. Members that the chain no longer has
    /// are omitted.
    func memberships(of subscriber: Subscriber) -> [ChainMembership] {
        let session = ChainSession(subscriber.upstreamSession)
        let first = Subscriber(backend: subscriber.backend, key: subscriber.key, upstreamSession: session.own)
        return ([first] + session.links).compactMap { subscriber in
            member(for: subscriber.backend).map { ChainMembership(backend: $0, subscriber: subscriber) }
        }
    }

    /// Returns whether the authenticating member lacks its session. The other memberships only add to its result.
    func lacksSession(_ subscriber: Subscriber) -> Bool {
        memberships(of: subscriber).first.map { $0.backend.lacksSession($0.subscriber) } ?? false
    }

    /// Returns the member with the given name, or else the first member that handles a backend of that name.
    func member(for backend: String) -> ResolvedBackend? {
        let member = members.first { $0.backend.name == backend } ?? members.first { $0.backend.handles(backend) }
        return member?.backend
    }
}

extension Result where Success == Fetched<AuthenticationResult> {
    fileprivate var memberOutcome: ChainDecision.MemberOutcome {
        switch map(\.value) {
        case .success(.authenticated): .authenticated
        case .success(.rejected): .rejected
        case .failure: .unavailable
        }
    }
}
