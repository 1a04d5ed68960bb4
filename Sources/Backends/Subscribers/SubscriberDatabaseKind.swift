public import Gatefold
public import Primitives

/// A kind of backend whose subscribers Gatefold itself stores.
public protocol SubscriberDatabaseKind: BackendKind {
    /// The name of the backend in the configuration.
    var backend: String { get }
    var registry: RegistrySettings { get }

    /// Opens the database, and migrates its tables.
    ///
    /// - Throws: ``SubscriberDatabaseError``.
    func openDatabase(clock: WallClock) throws -> SubscriberDatabase

    /// Opens the database for a command that must not create it. Every query of one that does not exist fails.
    ///
    /// - Throws: ``SubscriberDatabaseError``.
    func openExistingDatabase(clock: WallClock) throws -> SubscriberDatabase
}

extension SubscriberDatabaseKind {
    public var checkedProofs: Set<String>? { registry.proof.map { [$0.field] } ?? [] }

    /// A Boolean value that indicates whether the database accepts migrated readers. It requires a proof, because
    /// without one a sign-in does not authenticate the reader.
    public var supportsLazyMigration: Bool { registry.proof != nil }

    public func openExistingDatabase(clock: WallClock) throws -> SubscriberDatabase { try openDatabase(clock: clock) }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        var database =
            try services.isReadOnly
            ? openExistingDatabase(clock: services.clock) : openDatabase(clock: services.clock)
        database.isReadOnly = services.isReadOnly
        return SubscriberDatabaseBackend(
            name: backend, database: database, proof: registry.proof, isSelfService: registry.isSelfService,
            verifier: services.passwords, clock: services.clock)
    }

    /// Returns the subscriber that represents a stored record in tokens, logs and revocations.
    public func subscriber(_ record: SubscriberRecord) -> Subscriber { subscriber(record.id) }

    /// Returns the subscriber with a number.
    public func subscriber(_ id: Int64) -> Subscriber { SubscriberDatabaseBackend.subscriber(id, backend: backend) }

    public func openDatabase() throws -> SubscriberDatabase { try openDatabase(clock: .system) }
}
