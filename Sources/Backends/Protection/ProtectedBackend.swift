public import Gatefold
import Protections

/// A backend and all that stands around it, so that its bad days are not the readers', nor a busy morning its own.
///
/// How each part works is in its own file; how they are put together is in ``ask(_:_:)`` alone.
public final class ProtectedBackend: SubscriberBackend {
    private let backend: any SubscriberBackend
    public let decidingFields: Set<String>
    private let decidesEditions: Bool
    let settings: ProtectionSettings
    let services: BackendServices
    let keys: QuestionKeys
    let cache: AnswerCache
    let coalescing = Coalescing()
    let breaker: CircuitBreaker
    let limit: ConcurrencyLimit
    private let deadline: Deadline
    let pulse: Pulse

    public var name: String { backend.name }

    /// - Parameters:
    ///   - decidingFields: see ``BackendKind/decidingFields``.
    ///   - decidesEditions: see ``BackendKind/decidesEditions``.
    public convenience init(
        _ backend: any SubscriberBackend, decidingFields: Set<String> = [], decidesEditions: Bool = true,
        settings: ProtectionSettings = ProtectionSettings(), services: BackendServices
    ) {
        self.init(
            backend, decidingFields: decidingFields, decidesEditions: decidesEditions, settings: settings,
            services: services, sleep: { try await Task.sleep(for: .seconds($0)) })
    }

    init(
        _ backend: any SubscriberBackend, decidingFields: Set<String>, decidesEditions: Bool,
        settings: ProtectionSettings, services: BackendServices, sleep: @escaping Sleep
    ) {
        self.backend = backend
        self.decidingFields = decidingFields
        self.decidesEditions = decidesEditions
        self.settings = settings
        self.services = services
        keys = QuestionKeys(
            secret: services.references.digest("questions", [backend.name]), backend: backend.name)
        cache = AnswerCache(
            settings.cache, longestQuestion: settings.deadline + settings.concurrency.patience + 1,
            clock: services.clock, random: services.random)
        breaker = CircuitBreaker(settings.breaker, clock: services.clock, random: services.random) { change in
            services.observe(BackendEvent(change, of: backend.name))
        }
        limit = ConcurrencyLimit(settings.concurrency, sleep: sleep)
        deadline = Deadline(seconds: settings.deadline, sleep: sleep)
        pulse = Pulse(clock: services.clock)
    }

    /// The order of protection, from the reader inwards.
    private func ask(_ question: Question, _ inquiry: Inquiry) async throws -> Answer {
        let seen = reduced(inquiry)
        let key = keys.key(of: question, seen)
        // What is not remembered is shared all the same.
        guard question.isRemembered else { return try await askTogether(question, key, seen, .reader).answer }
        let (answer, isRemembered) = try await cache.answer(key) { urgency in
            try await self.askTogether(question, key, seen, urgency)
        }
        if isRemembered { noteRecall(question, answer) }
        return answer
    }

    private func remembered(_ question: Question, _ inquiry: Inquiry) -> Remembered<Answer>? {
        cache.remembered(keys.key(of: question, reduced(inquiry)))
    }

    private func askTogether(
        _ question: Question, _ key: QuestionKey, _ inquiry: Inquiry, _ urgency: Urgency
    ) async throws -> Told {
        try await coalescing.share(key, urgency) { [self] in
            let told = try await breaker.guarding { check in
                try await limit.enter(urgency, stillWanted: check)
                return try await pulse.feeling {
                    try await deadline.bound({ try await self.put(question, inquiry) }, ended: limit.leave)
                }
            }
            // Before those who wait are told, so that whoever comes next finds it.
            if question.isRemembered {
                let subject = subject(key, question, told.answer)
                cache.remember(told, subject)
                share(told, subject)
            }
            return told
        }
    }

    private func put(_ question: Question, _ inquiry: Inquiry) async throws -> Told {
        let asked = cache.moment()
        let start = ContinuousClock.now
        do {
            let answer = try await question.put(to: backend, inquiry)
            services.observe(BackendEvent(question, .answered, in: ContinuousClock.now - start, of: name))
            return Told(answer: answer, asked: asked)
        } catch {
            let outcome: BackendEvent.Asked.Outcome =
                switch error {
                case is CancellationError: .withdrawn
                case is VerbatimAnswer: .answered
                default: .failed
                }
            services.observe(BackendEvent(question, outcome, in: ContinuousClock.now - start, of: name))
            throw error
        }
    }

    /// The backend sees what its answers depend on and nothing else, so that whoever agrees in that may share an answer.
    private func reduced(_ inquiry: Inquiry) -> Inquiry {
        Inquiry(fields: decidingFields.isEmpty ? [:] : inquiry.fields.filter { decidingFields.contains($0.key) })
    }

    private func subject(_ key: QuestionKey, _ question: Question, _ answer: Answer) -> AnswerMemory.Subject {
        var groups: [AnswerMemory.Group] = []
        var proofs: UInt64?
        if case .recognise(let credentials) = question {
            groups.append(.identifier(keys.identifier(credentials.identifier)))
            proofs = credentials.form == .typed ? keys.proofs(of: credentials) : nil
        }
        if case .recognition(.recognised(let subscriber)) = answer {
            groups.append(group(of: subscriber))
        } else if let subscriber = question.subscriber {
            groups.append(group(of: subscriber))
        }
        var subject = AnswerMemory.Subject(key: key, groups: groups, proofs: proofs)
        if case .verdict(let edition, _) = question { subject.edition = edition }
        return subject
    }

    func group(of subscriber: Subscriber) -> AnswerMemory.Group {
        Self.group(services.references.reference(to: subscriber))
    }

    static func group(_ reference: SubscriberReference) -> AnswerMemory.Group {
        .subscriber(reference.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

// MARK: - The questions

extension ProtectedBackend {
    public func reads(_ form: Credentials.Form) -> Bool { backend.reads(form) }

    public func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        guard case .recognition(let answer) = try await ask(.recognise(credentials), inquiry) else {
            throw WrongKindOfAnswer()
        }
        return answer
    }

    public func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard case .subscription(let answer) = try await ask(.subscription(subscriber), inquiry) else {
            throw WrongKindOfAnswer()
        }
        return answer
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard decidesEditions else { return nil }
        guard case .verdict(let answer) = try await ask(.verdict(edition, subscriber), inquiry) else {
            throw WrongKindOfAnswer()
        }
        return answer
    }

    public func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
        guard let known = remembered(.subscription(subscriber), inquiry), case .subscription(let answer) = known.value
        else { return nil }
        return Remembered(answer, standing: known.standing)
    }

    public func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>? {
        guard decidesEditions else { return Remembered(.none) }
        guard let known = remembered(.verdict(edition, subscriber), inquiry), case .verdict(let answer) = known.value
        else { return nil }
        return Remembered(answer.map { .verdict($0) } ?? RememberedVerdict.none, standing: known.standing)
    }

    /// Never from memory. What was remembered holds on only if the reader is who they were.
    public func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        guard case .recognition(let answer) = try await ask(.renew(subscriber), inquiry) else {
            throw WrongKindOfAnswer()
        }
        if answer != .recognised(subscriber) { cache.forget(group(of: subscriber)) }
        return answer
    }

    public func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        _ = try await ask(.signOut(subscriber), inquiry)
        cache.forget(group(of: subscriber))
    }

    public var registry: (any SubscriberRegistry)? {
        backend.registry.map { ProtectedRegistry($0) { self.flush($0) } }
    }

    public func grantsFeed(to subscriber: Subscriber) -> Bool { backend.grantsFeed(to: subscriber) }

    /// By the breaker and the last question as long as they can tell; else the backend is asked, every few seconds at most:
    /// also when the breaker would let a question try and no reader has one.
    public func health() async throws {
        guard breaker.status.position != .open else { throw ProtectionError.breakerOpen }
        switch pulse.hasFailedLately {
        case false?: return
        case true?: throw ProtectionError.failedLately
        case nil:
            // Past the breaker: a backend whose health says nothing must not close it.
            let inquiry = Inquiry()
            _ = try await coalescing.share(keys.key(of: .health, inquiry), .reader) { [self] in
                try await limit.enter(.reader)
                return try await pulse.feeling {
                    try await deadline.bound({ try await self.put(.health, inquiry) }, ended: limit.leave)
                }
            }
        }
    }

    /// A part answered another question than it was asked: can not happen, and is no refusal if it does.
    private struct WrongKindOfAnswer: Error {}
}
