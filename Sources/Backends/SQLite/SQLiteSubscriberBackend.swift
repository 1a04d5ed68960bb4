import Foundation
public import Gatefold

/// Recognises the subscribers of the embedded database.
///
/// A subscriber's key is its number. Deleted ones have the state unknown, and their number goes to nobody else.
public struct SQLiteSubscriberBackend: SubscriberBackend {
    /// What a reader proves themselves with.
    public struct Proof: Sendable, Equatable {
        /// The name of the credentials' field, such as `password` or `surname`.
        public let field: String
        /// Whether it is folded like an identifier before it is hashed: for names, never for passwords.
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
    ///   - proof: nil where knowing the identifier is enough.
    ///   - isSelfService: whether readers register and change their passwords by themselves; only with a password for a proof.
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

    /// - Throws: when the database or the password queue could not be asked, or the row can not be understood.
    public func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let found = try await database.proof(of: credentials.identifier)
        guard let proof else {
            guard let id = try await id(of: found, credentials.identifier) else { return .notRecognised(message: nil) }
            return .recognised(subscriber(id))
        }
        guard let typed = credentials[proof.field] else { return .notRecognised(message: nil) }
        let verdict = try await verifier.check(
            proof.folds ? CredentialFields.fold(typed) : typed, against: found.passwordHash)
        guard case .right(let betterHash) = verdict, let id = try await id(of: found, credentials.identifier) else {
            return .notRecognised(message: nil, found: FoundSubscribers(found.id.map { [subscriber($0)] } ?? []))
        }
        if let betterHash, let old = found.passwordHash {
            // Best effort: if it fails, the next sign-in tries again.
            try? await database.upgradePassword(of: id, from: old, to: betterHash)
        }
        return .recognised(subscriber(id))
    }

    public func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard subscriber.backend == name, let id = Self.id(of: subscriber),
            let record = try await database.find(id: id)
        else { return Subscription(state: .unknown) }
        return record.subscription(at: clock.now)
    }

    /// Names that are folded are no passwords.
    public var registry: (any SubscriberRegistry)? {
        guard isSelfService, let proof, !proof.folds else { return nil }
        return SQLiteSubscriberRegistry(
            name: name, passwordField: proof.field, database: database, verifier: verifier)
    }

    public func health() async throws {
        try await database.health()
    }

    /// The number of who was found, which a row of an import gets where it is brought over.
    private func id(of found: StoredProofOfSubscriber, _ identifier: String) async throws -> Int64? {
        found.isStaged ? try await database.find(identifier)?.id : found.id
    }

    private func subscriber(_ id: Int64) -> Subscriber {
        Self.subscriber(id, backend: name)
    }

    /// The number that a key is, as written here and in no other way.
    static func id(of subscriber: Subscriber) -> Int64? {
        Int64(subscriber.key).flatMap { String($0) == subscriber.key ? $0 : nil }
    }

    static func subscriber(_ id: Int64, backend: String) -> Subscriber {
        Subscriber(backend: backend, key: String(id))
    }
}
