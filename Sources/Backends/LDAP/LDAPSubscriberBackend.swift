import Gatefold
import LDAP
import Primitives
import Resilience
import SQLAccess

/// A backend that authenticates the people of a directory.
struct LDAPSubscriberBackend: LookupBackend {
    let name: String
    let pool: ConnectionPool<DirectorySession>
    let queries: DirectoryQueries
    private let referrals: LDAPSettings.Referrals
    private let services: BackendServices

    init(
        name: String, pool: ConnectionPool<DirectorySession>, queries: DirectoryQueries,
        referrals: LDAPSettings.Referrals, services: BackendServices
    ) {
        self.name = name
        self.pool = pool
        self.queries = queries
        self.referrals = referrals
        self.services = services
    }

    /// Authenticates a reader. No match, several matches and a wrong proof have the same result after the same
    /// steps: a bind or compare of the decoy replaces that of the entry. The directory's own response times may
    /// still differ; see the guide.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        guard let proof = credentials[queries.authentication.field], DirectoryProof.isUsable(proof) else {
            return .rejected(message: nil)
        }
        QueryTrace.begin("authenticate")
        let found: FoundEntry
        switch queries.authentication.strategy {
        case .bind(let template):
            guard let name = template.filled(from: credentials, in: .distinguishedName) else {
                return .rejected(message: nil)
            }
            found = try await pool.use { session in try entry(boundAs: name, proof, session) }
        case .searchBind:
            guard let search = search(for: credentials) else { return .rejected(message: nil) }
            found = try await pool.use { session in try entry(foundBy: search, bound: proof, session) }
        case .compare(let attribute):
            guard let search = search(for: credentials) else { return .rejected(message: nil) }
            found = try await pool.use { session in
                try entry(foundBy: search, with: attribute, being: proof, session)
            }
        }
        switch found {
        case .confirmed(let entry):
            return .authenticated(Subscriber(backend: name, key: try queries.key.key(of: entry)))
        case .rejected(let entry):
            let key = entry.flatMap { try? queries.key.key(of: $0) }
            return .rejected(
                message: nil, found: FoundSubscribers(key.map { [Subscriber(backend: name, key: $0)] } ?? []))
        }
    }

    /// The directory's result for credentials.
    private enum FoundEntry {
        case confirmed(DirectoryEntry)
        /// - Parameter entry: The entry whose proof was wrong, or `nil` if there is none or the directory does not
        ///   reveal it.
        case rejected(DirectoryEntry?)
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard subscriber.backend == name,
            let search = queries.key.search(
                subscriber.key, among: queries.people, attributes: queries.attributes)
        else { return Fetched(Subscription(state: .unknown)) }
        QueryTrace.begin("subscription")
        let found = try await pool.use { session in try lookUp(search, session) }
        guard let (entry, groups) = found else { return Fetched(Subscription(state: .unknown)) }
        var record = Record(requiresEveryField: false)
        for attribute in queries.attributes {
            guard let texts = entry.texts(attribute) else { throw DirectoryFailure.unreadableValue(attribute) }
            for text in texts { record.append(text, to: attribute) }
        }
        try queries.groups?.add(to: &record, entry: entry, found: groups)
        return Fetched(try queries.mapping.subscription(from: record, at: services.clock.now))
    }

    func health() async throws {
        QueryTrace.begin("people.base")
        try await pool.use { session in try requireBase(session) }
    }
}

// MARK: - On a connection

extension LDAPSubscriberBackend {
    func search(for credentials: Credentials) -> DirectorySearch? {
        guard let filled = queries.people.filter?.filled(from: credentials, in: .searchFilter)
        else { return nil }
        return queries.people.search(filled, attributes: queries.keyAttributes)
    }

    private func entry(boundAs name: String, _ password: String, _ session: DirectorySession) throws -> FoundEntry {
        let code = try session.bind(name: name, password: password)
        switch DirectoryVerdict.forBind(code) {
        case .rejected:
            // A server without the readers' tree, such as a replica that is not filled yet, knows no reader. It
            // returns 32, or 49 if it does not reveal its content. This search also gives all rejections the same
            // number of steps.
            try requireBase(session)
            return .rejected(nil)
        case .failed: throw DirectoryFailure.readerBind(code)
        case .confirmed: break
        }
        // A name that can bind but is not a reader's, such as the administrator's, is rejected here.
        let search = DirectorySearch(
            base: name, scope: .base, filter: queries.people.only.render { _ in "" },
            attributes: queries.keyAttributes, limit: 1)
        guard let entry = try session.search(search)?.entries.first else {
            try requireBase(session)
            services.observe(BackendEvent(backend: self.name, name: "bound_without_entry"))
            return .rejected(nil)
        }
        return .confirmed(entry)
    }

    private func entry(
        foundBy search: DirectorySearch, bound password: String, _ session: DirectorySession
    ) throws -> FoundEntry {
        let entry = try single(search, session)
        let code = try session.bind(name: entry?.name ?? queries.authentication.dummyName, password: password)
        switch DirectoryVerdict.forBind(code) {
        case .confirmed: return entry.map { .confirmed($0) } ?? .rejected(nil)
        case .rejected: return .rejected(entry)
        case .failed: throw DirectoryFailure.readerBind(code)
        }
    }

    private func entry(
        foundBy search: DirectorySearch, with attribute: String, being value: String, _ session: DirectorySession
    ) throws -> FoundEntry {
        let entry = try single(search, session)
        let code = try session.compare(
            name: entry?.name ?? queries.authentication.dummyName, attribute: attribute, value: value)
        // Only the decoy is expected not to exist.
        if entry == nil, code == .noSuchObject { return .rejected(nil) }
        switch DirectoryVerdict.forCompare(code) {
        case .confirmed: return entry.map { .confirmed($0) } ?? .rejected(nil)
        case .rejected: return .rejected(entry)
        case .failed: throw DirectoryFailure.compare(code)
        }
    }

    /// Returns the only entry that matches typed credentials, or `nil` if there is none or more than one.
    ///
    /// Source: Pitfall 14, “Empty passwords and blank fields that succeed”.
    private func single(_ search: DirectorySearch, _ session: DirectorySession) throws -> DirectoryEntry? {
        guard let result = try session.search(search) else { throw DirectoryFailure.baseMissing }
        if result.entries.count > 1 || result.isTruncated {
            services.observe(
                BackendEvent(
                    backend: name, name: "several_matches",
                    detail: "more than one entry matches the same credentials; expected at most one"))
            return nil
        }
        if result.entries.isEmpty { try requireComplete(result) }
        return result.entries.first
    }

    /// Returns the entry with a key and its groups, or `nil` if the entry no longer exists.
    private func lookUp(
        _ search: DirectorySearch, _ session: DirectorySession
    ) throws -> (DirectoryEntry, [DirectoryEntry])? {
        let result = try session.search(search)
        guard (result?.entries.count ?? 0) <= 1, result?.isTruncated != true else { throw MappingError.severalRecords }
        guard let entry = result?.entries.first else {
            if let result { try requireComplete(result) }
            // The missing entry must not be the sign of a missing tree.
            try requireBase(session)
            return nil
        }
        guard let groups = try queries.groups?.search(for: entry) else { return (entry, []) }
        guard let found = try session.search(groups) else { throw DirectoryFailure.baseMissing }
        guard !found.isTruncated else { throw DirectoryFailure.tooManyGroups }
        try requireComplete(found)
        return (entry, found.entries)
    }

    /// Throws if a part of the result is on another server, because such a result does not prove that an entry is
    /// missing.
    func requireComplete(_ result: SearchResult) throws(DirectoryFailure) {
        if result.references > 0, referrals != .ignore { throw .referralReceived }
    }

    func requireBase(_ session: DirectorySession) throws {
        let search = DirectorySearch(
            base: queries.people.base, scope: .base, filter: "(objectClass=*)", attributes: [], limit: 1)
        guard try session.search(search)?.entries.isEmpty == false else { throw DirectoryFailure.baseMissing }
    }
}
