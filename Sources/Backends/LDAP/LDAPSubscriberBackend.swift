import Gatefold
import LDAP

/// Recognises the people of a directory.
struct LDAPSubscriberBackend: SubscriberBackend {
    let name: String
    private let pool: ConnectionPool<DirectorySession>
    private let questions: DirectoryQuestions
    private let referrals: LDAPSettings.Referrals
    private let services: BackendServices

    init(
        name: String, pool: ConnectionPool<DirectorySession>, questions: DirectoryQuestions,
        referrals: LDAPSettings.Referrals, services: BackendServices
    ) {
        self.name = name
        self.pool = pool
        self.questions = questions
        self.referrals = referrals
        self.services = services
    }

    /// Nobody, several and a wrong proof are one answer after the same steps, a bind or compare of the decoy taking the
    /// place of the entry's. How long the directory takes for each is its own; see the guide.
    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        guard let proof = credentials[questions.recognition.field], DirectoryProof.isUsable(proof) else {
            return .notRecognised(message: nil)
        }
        let found: FoundEntry
        switch questions.recognition.way {
        case .bind(let template):
            guard let name = template.filled(from: credentials, escape: { NameValue.escape($0) }) else {
                return .notRecognised(message: nil)
            }
            found = try await pool.use { session in try entry(boundAs: name, proof, session) }
        case .searchBind:
            guard let search = search(for: credentials) else { return .notRecognised(message: nil) }
            found = try await pool.use { session in try entry(foundBy: search, bound: proof, session) }
        case .compare(let attribute):
            guard let search = search(for: credentials) else { return .notRecognised(message: nil) }
            found = try await pool.use { session in
                try entry(foundBy: search, with: attribute, being: proof, session)
            }
        }
        switch found {
        case .proved(let entry):
            return .recognised(Subscriber(backend: name, key: try questions.key.key(of: entry)))
        case .refused(let entry):
            let key = entry.flatMap { try? questions.key.key(of: $0) }
            return .notRecognised(
                message: nil, found: FoundSubscribers(key.map { [Subscriber(backend: name, key: $0)] } ?? []))
        }
    }

    /// What the directory made of credentials.
    private enum FoundEntry {
        case proved(DirectoryEntry)
        /// - Parameter entry: at whose entry the proof was wrong; nil where there is none, or the directory does not say.
        case refused(DirectoryEntry?)
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard subscriber.backend == name,
            let search = questions.key.search(
                subscriber.key, among: questions.people, attributes: questions.attributes)
        else { return Subscription(state: .unknown) }
        let found = try await pool.use { session in try look(search, session) }
        guard let (entry, groups) = found else { return Subscription(state: .unknown) }
        var record = Record(namesEveryField: false)
        for attribute in questions.attributes {
            guard let texts = entry.texts(attribute) else { throw DirectoryFailure.unreadableValue(attribute) }
            for text in texts { record.append(text, to: attribute) }
        }
        try questions.groups?.add(to: &record, entry: entry, found: groups)
        return try questions.mapping.subscription(from: record, at: services.clock.now)
    }

    func health() async throws {
        try await pool.use { session in try requireBase(session) }
    }
}

// MARK: - On a connection

extension LDAPSubscriberBackend {
    private func search(for credentials: Credentials) -> DirectorySearch? {
        guard let filled = questions.people.filter?.filled(from: credentials, escape: { FilterValue.escape($0) })
        else { return nil }
        return questions.people.search(filled, attributes: questions.keyAttributes)
    }

    private func entry(boundAs name: String, _ password: String, _ session: DirectorySession) throws -> FoundEntry {
        let code = try session.bind(name: name, password: password)
        switch DirectoryVerdict.ofBind(code) {
        case .refused:
            // A server without the readers' tree, such as a replica that is not filled yet, knows nobody: with 32, or with
            // 49 where it tells nothing of what it has. This search also makes refusals as long as the others.
            try requireBase(session)
            return .refused(nil)
        case .failed: throw DirectoryFailure.readerBind(code)
        case .proved: break
        }
        // A name that can bind and is no reader's, such as the administrator's, ends here.
        let search = DirectorySearch(
            base: name, scope: .base, filter: questions.people.only.filled { _ in "" },
            attributes: questions.keyAttributes, limit: 1)
        guard let entry = try session.search(search)?.entries.first else {
            try requireBase(session)
            services.observe(BackendEvent(backend: self.name, name: "bound_without_entry"))
            return .refused(nil)
        }
        return .proved(entry)
    }

    private func entry(
        foundBy search: DirectorySearch, bound password: String, _ session: DirectorySession
    ) throws -> FoundEntry {
        let entry = try single(search, session)
        let code = try session.bind(name: entry?.name ?? questions.recognition.decoy, password: password)
        switch DirectoryVerdict.ofBind(code) {
        case .proved: return entry.map { .proved($0) } ?? .refused(nil)
        case .refused: return .refused(entry)
        case .failed: throw DirectoryFailure.readerBind(code)
        }
    }

    private func entry(
        foundBy search: DirectorySearch, with attribute: String, being value: String, _ session: DirectorySession
    ) throws -> FoundEntry {
        let entry = try single(search, session)
        let code = try session.compare(
            name: entry?.name ?? questions.recognition.decoy, attribute: attribute, value: value)
        // That there is no such entry is what is expected of the decoy only.
        if entry == nil, code == .noSuchObject { return .refused(nil) }
        switch DirectoryVerdict.ofCompare(code) {
        case .proved: return entry.map { .proved($0) } ?? .refused(nil)
        case .refused: return .refused(entry)
        case .failed: throw DirectoryFailure.compare(code)
        }
    }

    /// The one entry that answers to what somebody typed; nil for none, and for several (PITFALLS row 14).
    private func single(_ search: DirectorySearch, _ session: DirectorySession) throws -> DirectoryEntry? {
        guard let answer = try session.search(search) else { throw DirectoryFailure.baseMissing }
        if answer.entries.count > 1 || answer.isCutShort {
            services.observe(
                BackendEvent(
                    backend: name, name: "several_matches",
                    detail: "more than one entry answers to the same credentials; expected one at most"))
            return nil
        }
        if answer.entries.isEmpty { try requireWhole(answer) }
        return answer.entries.first
    }

    /// The entry with a key and its groups; nil when there is no such entry any more.
    private func look(
        _ search: DirectorySearch, _ session: DirectorySession
    ) throws -> (DirectoryEntry, [DirectoryEntry])? {
        let answer = try session.search(search)
        guard (answer?.entries.count ?? 0) <= 1, answer?.isCutShort != true else { throw MappingError.severalRecords }
        guard let entry = answer?.entries.first else {
            if let answer { try requireWhole(answer) }
            // Not that the whole tree is gone.
            try requireBase(session)
            return nil
        }
        guard let groups = try questions.groups?.search(for: entry) else { return (entry, []) }
        guard let found = try session.search(groups) else { throw DirectoryFailure.baseMissing }
        guard !found.isCutShort else { throw DirectoryFailure.tooManyGroups }
        try requireWhole(found)
        return (entry, found.entries)
    }

    /// An answer of which a part is elsewhere says nothing about who is missing in it.
    private func requireWhole(_ answer: SearchAnswer) throws(DirectoryFailure) {
        if answer.references > 0, referrals != .ignore { throw .elsewhere }
    }

    private func requireBase(_ session: DirectorySession) throws {
        let search = DirectorySearch(
            base: questions.people.base, scope: .base, filter: "(objectClass=*)", attributes: [], limit: 1)
        guard try session.search(search)?.entries.isEmpty == false else { throw DirectoryFailure.baseMissing }
    }
}
