import Gatefold

/// Asks a program of the publisher's own: one line of JSON in, one line out.
struct ProcessBackend: SubscriberBackend {
    let name: String
    let children: ConnectionPool<ProcessConnection>
    let timeout: Duration
    let mapping: SubscriptionMapping
    /// Nil where the program checks the credentials itself.
    let proof: ProofRule?
    /// The fields of the request that the program is shown.
    let shownFields: Set<String>
    let endsSessions: Bool
    let verifier: PasswordVerifier
    let clock: WallClock

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        var typed: [String: String] = [:]
        for field in credentials.names where field != proof?.field { typed[field] = credentials[field] }
        var question = question(.recognise, inquiry)
        question.identifier = credentials.identifier
        question.credentials = typed
        let found = try await ask(question) { try $0.found() }
        if let proof {
            let verdict = try await proof.check(credentials, against: found?.stored, with: verifier)
            guard case .right = verdict else {
                let subscriber = found.map { Subscriber(backend: name, key: $0.key) }
                return .notRecognised(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
            }
        } else if found?.stored != nil {
            throw ProcessFailure.uncomparedPassword
        }
        guard let found else { return .notRecognised(message: nil) }
        return .recognised(Subscriber(backend: name, key: found.key, upstreamSession: found.session))
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard subscriber.backend == name else { return Subscription(state: .unknown) }
        let record = try await ask(question(.subscription, about: subscriber, inquiry)) { try $0.record() }
        guard let record else { return Subscription(state: .unknown) }
        return try mapping.subscription(from: record, at: clock.now)
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        guard endsSessions, subscriber.backend == name else { return }
        try await ask(question(.signOut, about: subscriber, inquiry)) { _ in }
    }

    func health() async throws {
        try await ask(ProcessQuestion(ask: .health)) { _ in }
    }

    private func question(
        _ kind: ProcessQuestion.Kind, about subscriber: Subscriber? = nil, _ inquiry: Inquiry
    ) -> ProcessQuestion {
        var question = ProcessQuestion(ask: kind)
        question.key = subscriber?.key
        question.session = subscriber?.upstreamSession
        if !shownFields.isEmpty { question.fields = inquiry.fields.filter { shownFields.contains($0.key) } }
        return question
    }

    private func ask<Answer: Sendable>(
        _ question: ProcessQuestion, read: @escaping @Sendable (ProcessAnswer) throws -> Answer
    ) async throws -> Answer {
        try await children.use { [timeout] in try $0.ask(question, timeout: timeout, read: read) }
    }
}
