import Gatefold

/// Asks several backends as if they were one.
///
/// Subscribers keep the name and key of the member that answered, so a token says whom to ask and outlives the chain. A
/// reader of several systems also keeps the memberships in the others, see ``ChainSession``.
///
/// A chain has no health of its own: its members report theirs.
struct ChainBackend: SubscriberBackend {
    let name: String
    let members: [ChainMember]
    let order: ChainOrder
    /// Nil when nobody is taken over.
    let adoption: Adoption?

    func answersFor(_ backend: String) -> Bool {
        backend == name || members.contains { $0.backend.answersFor(backend) }
    }

    func reads(_ form: Credentials.Form) -> Bool { members.contains { $0.backend.reads(form) } }

    /// That of the first member that has one: readers register in one place.
    var registry: (any SubscriberRegistry)? { members.lazy.compactMap(\.backend.registry).first }

    var decidingFields: Set<String> { members.reduce(into: []) { $0.formUnion($1.backend.decidingFields) } }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        // Those who do not read such credentials are not in the chain for them.
        let members = members.filter { $0.backend.reads(credentials.form) }
        guard !members.isEmpty else { return .notRecognised(message: nil) }
        var answers: [Result<Recognition, any Error>?] = Array(repeating: nil, count: members.count)
        let outcome = try await ask(members, credentials, inquiry) { answers[$0.position] = $0.result }
        switch outcome {
        case .unavailable:
            throw ChainFailure.unavailable(
                members: zip(members, answers).compactMap { member, answer in
                    guard case .failure(let error) = answer else { return nil }
                    return ChainFailure.Cause(member: member.backend.name, error: error)
                })
        case .notRecognised:
            // Everyone who was asked refused, so the words are the same whoever is refused.
            var words: String?
            var found: [Subscriber] = []
            for case .success(.notRecognised(let message, let own)) in answers {
                words = words ?? message
                found += own.all
            }
            return .notRecognised(message: words, found: FoundSubscribers(found))
        case .recognised(let positions):
            let subscribers = positions.compactMap { position -> Subscriber? in
                guard case .success(.recognised(let subscriber)) = answers[position] else { return nil }
                return subscriber
            }
            return .recognised(try admit(subscribers, credentials, inquiry))
        }
    }

    /// Asks the members as the decision wants it, and records each result when it arrives.
    private func ask(
        _ members: [ChainMember], _ credentials: Credentials, _ inquiry: Inquiry,
        record: (MemberResult<Recognition>) -> Void
    ) async throws -> ChainDecision.Outcome {
        var decision = ChainDecision(members.map(\.rule), order: order)
        return try await withThrowingTaskGroup(
            of: MemberResult<Recognition>.self
        ) { group -> ChainDecision.Outcome in
            var action = decision.start()
            while true {
                switch action {
                case .finish(let outcome):
                    group.cancelAll()
                    return outcome
                case .ask(let positions):
                    for position in positions {
                        let backend = members[position].backend
                        group.addTask {
                            await MemberResult(position) {
                                try await backend.recognise(credentials, inquiry: inquiry)
                            }
                        }
                    }
                case .wait:
                    break
                }
                guard let member = try await group.next() else { return .unavailable }
                // Members give up when the asking task does; that says nothing about them.
                try Task.checkCancellation()
                record(member)
                action = decision.take(member.result.chainAnswer, from: member.position)
            }
        }
    }

    private func admit(
        _ found: [Subscriber], _ credentials: Credentials, _ inquiry: Inquiry
    ) throws -> Subscriber {
        let subscriber = try Self.joining(found)
        // Nobody can sign in to a store of our own with what an app store gave.
        guard credentials.form == .typed else { return subscriber }
        adoption?.consider(
            credentials, in: memberships(of: subscriber).filter { $0.backend.name != adoption?.name },
            inquiry: inquiry)
        return subscriber
    }

    /// The subscriber that the token is about: the first, with the others as its links.
    ///
    /// - Parameter found: at least one.
    static func joining(_ found: [Subscriber]) throws -> Subscriber {
        let first = found[0]
        var links: [Subscriber] = []
        for other in found.dropFirst()
        where !([first] + links).contains(where: { $0.backend == other.backend && $0.key == other.key }) {
            links.append(other)
        }
        let session = ChainSession(own: first.upstreamSession, links: links).upstreamSession
        let length = first.backend.utf8.count + first.key.utf8.count + (session?.utf8.count ?? 0)
        guard length <= SealedTokenCodec.longestSubscriber else { throw ChainFailure.sessionTooLong }
        return Subscriber(backend: first.backend, key: first.key, upstreamSession: session)
    }

    /// The systems a subscriber is known in, the one that answered first; without those the chain no longer has.
    func memberships(of subscriber: Subscriber) -> [ChainMembership] {
        let session = ChainSession(subscriber.upstreamSession)
        let first = Subscriber(backend: subscriber.backend, key: subscriber.key, upstreamSession: session.own)
        return ([first] + session.links).compactMap { subscriber in
            member(for: subscriber.backend).map { ChainMembership(backend: $0, subscriber: subscriber) }
        }
    }

    /// A member of that name, else the first that asks a backend of that name.
    func member(for backend: String) -> (any SubscriberBackend)? {
        let backends = members.map(\.backend)
        return backends.first { $0.name == backend } ?? backends.first { $0.answersFor(backend) }
    }
}

extension Result where Success == Recognition {
    fileprivate var chainAnswer: ChainDecision.Answer {
        switch self {
        case .success(.recognised): .recognised
        case .success(.notRecognised): .notRecognised
        case .failure: .unavailable
        }
    }
}
