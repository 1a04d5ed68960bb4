import Foundation
public import Gatefold
public import PasswordHashing
public import Primitives

/// Authenticates the subscribers that Gatefold itself stores.
///
/// The key of a subscriber is its number. A deleted subscriber has the state unknown, and its number is never
/// assigned again.
public struct SubscriberDatabaseBackend: LookupBackend, SelfServiceBackend {
    /// The credential that a reader is authenticated with.
    public struct Proof: Sendable, Equatable {
        /// The name of the credential field, such as `password` or `surname`.
        public let field: String
        /// A Boolean value that indicates whether the value is folded like an identifier before it is hashed. Use
        /// it for names, never for passwords. Default: false.
        public let folds: Bool

        public init(field: String, folds: Bool = false) {
            self.field = field
            self.folds = folds
        }
    }

    public let name: String
    let database: SubscriberDatabase
    let proof: Proof?
    let isSelfService: Bool
    let verifier: PasswordVerifier
    let clock: WallClock

    /// - Parameters:
    ///   - name: The name of the backend in the configuration.
    ///   - database: The database of the subscribers.
    ///   - proof: The credential to check; nil if the identifier alone is sufficient.
    ///   - isSelfService: Whether readers can register and change their own passwords. Requires a password as the
    ///     proof. Default: false.
    ///   - verifier: The verifier of passwords.
    ///   - clock: The source of the current time.
    public init(
        name: String, database: SubscriberDatabase, proof: Proof?, isSelfService: Bool = false,
        verifier: PasswordVerifier, clock: WallClock = .system
    ) {
        self.isSelfService = isSelfService
        self.name = name
        self.database = database
        self.proof = proof
        self.verifier = verifier
        self.clock = clock
    }

    /// - Throws: An error if the database or the password queue is unavailable, or if the row is unreadable.
    public func authenticate(
        _ credentials: Credentials, context: CallContext
    ) async throws -> Fetched<AuthenticationResult> {
        let found = try await database.proof(of: credentials.identifier)
        guard let proof else {
            guard let id = try await id(of: found, credentials.identifier) else { return .rejected(message: nil) }
            return .authenticated(subscriber(id))
        }
        guard let typed = credentials[proof.field] else { return .rejected(message: nil) }
        let verdict = try await verifier.check(
            proof.folds ? CredentialFields.fold(typed) : typed, against: found.passwordHash)
        guard case .right(let upgradedHash) = verdict, let id = try await id(of: found, credentials.identifier) else {
            return .rejected(message: nil, found: FoundSubscribers(found.id.map { [subscriber($0)] } ?? []))
        }
        if let upgradedHash, let old = found.passwordHash {
            // Best effort: if the upgrade fails, the next sign-in tries again.
            try? await database.upgradePassword(of: id, from: old, to: upgradedHash)
        }
        return .authenticated(subscriber(id))
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard subscriber.backend == name, let id = Self.id(of: subscriber),
            let record = try await database.find(id: id)
        else { return Fetched(Subscription(state: .unknown)) }
        return Fetched(record.subscription(at: clock.now))
    }

    public var supportsLookup: Bool { true }

    public func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        // A sign-in applies a pending row of an import, but an operator's question must not.
        let found = try await database.proof(of: credentials.identifier)
        if let id = found.id { return Fetched(ReaderLookup([subscriber(id)])) }
        guard found.isStaged else { return Fetched(ReaderLookup()) }
        return Fetched(
            ReaderLookup(failures: [name: "an import has the reader, who gets a number with the next sign-in"]))
    }

    /// Returns the sign-in identifier of a subscriber, for an operator; nil for no subscriber of this backend.
    package func identifier(of subscriber: Subscriber) async throws -> String? {
        guard subscriber.backend == name, let id = Self.id(of: subscriber) else { return nil }
        return try await database.find(id: id)?.identifier
    }

    /// The registry for self-service; nil if it is off. A folded proof is a name and not a password, so it has no
    /// registry either.
    public var registry: (any SubscriberRegistry)? {
        guard isSelfService, let proof, !proof.folds else { return nil }
        return SelfServiceRegistry(
            name: name, passwordField: proof.field, database: database, verifier: verifier)
    }

    public func health() async throws {
        try await database.health()
    }

    /// Returns the number of the subscriber that was found. A staged row of an import gets its number here, when it
    /// is applied.
    private func id(of found: SubscriberProofRecord, _ identifier: String) async throws -> Int64? {
        found.isStaged ? try await database.find(identifier)?.id : found.id
    }

    private func subscriber(_ id: Int64) -> Subscriber {
        Self.subscriber(id, backend: name)
    }

    /// Returns the number in a subscriber's key. Accepts only the exact format that this backend writes.
    static func id(of subscriber: Subscriber) -> Int64? {
        Int64(subscriber.key).flatMap { String($0) == subscriber.key ? $0 : nil }
    }

    static func subscriber(_ id: Int64, backend: String) -> Subscriber {
        Subscriber(backend: backend, key: String(id))
    }
}
