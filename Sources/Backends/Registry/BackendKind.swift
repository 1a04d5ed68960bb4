public import Commerce
public import Gatefold
public import PasswordHashing
public import Primitives
public import Resilience
public import Settings

/// A kind of subscriber backend in the configuration. A kind first reads its settings and then opens the backend.
///
/// Reading accesses nothing outside the configuration, so that `gatefold config check` works anywhere.
public protocol BackendKind: Sendable {
    /// The value of `kind` in the configuration.
    static var name: String { get }

    /// Reads the settings.
    ///
    /// The caller then rejects the keys of the section that this initialiser did not read. For sections within it, the
    /// initialiser calls `SettingsSection.finish()`.
    ///
    /// - Throws: `SettingsError` for settings that this kind cannot use.
    init(name: String, settings: SettingsSection) throws(SettingsError)

    func open(_ services: BackendServices) throws -> any SubscriberBackend

    /// A Boolean value that indicates whether the readers are invented. Such a backend is permitted only in a test
    /// publication, which permits no other backends.
    var isForTests: Bool { get }

    /// The field names of the proofs that the backend checks, or `nil` if it has its own method. A publication must
    /// require exactly these proofs, because a proof that is required but not checked would let every reader in.
    var checkedProofs: Set<String>? { get }

    /// The configuration names of the backends that this backend queries. They are opened first.
    var members: [String] { get }

    /// Checks that the members support their roles.
    ///
    /// - Throws: `SettingsError` at the setting that names an unsuitable member.
    func check(_ members: [String: any BackendKind]) throws(SettingsError)

    /// A Boolean value that indicates whether the backend can store readers whom another backend authenticated. See
    /// `LazyMigrationTarget`.
    var supportsLazyMigration: Bool { get }

    /// The request fields with a store receipt. A publication accepts the fields of all its backends.
    var receiptFields: Set<String> { get }

    /// The configuration names of the app stores that the backend queries.
    var stores: [StoreName] { get }

    /// The request fields, apart from the credentials, that the results depend on. A remote backend receives no other
    /// fields, so that two queries with the same visible input may share a result. Other backends declare the fields
    /// in `VaryingBackend.varyingFields` instead.
    ///
    /// Source: Pitfall 7, “A cache key that is too small”.
    var varyingFields: Set<String> { get }

    /// A Boolean value that indicates whether the backend has verdicts on editions. If it is `false`, the backend
    /// is not queried for verdicts, which saves half of the queries for edition credentials.
    var decidesEditions: Bool { get }

    /// A Boolean value that indicates whether the backend queries a system outside the process, which may fail.
    /// Only such a backend has protections.
    var isRemote: Bool { get }

    /// The maximum number of concurrent queries according to the kind's own settings, such as its pool size, or
    /// `nil` if only `ProtectionSettings` limits them. More queries are never sent because they would wait within
    /// their deadlines.
    var maxConcurrent: Int? { get }

    /// Returns the codec of the tokens if the kind defines one, or `nil` for sealed tokens.
    func tokenCodec(for publication: PublicationID) -> (any TokenCodec)?

    /// Returns edge headers in addition to the configured ones.
    func edgeTokens() -> [any EdgeToken]
}

extension BackendKind {
    public var isForTests: Bool { false }
    public var checkedProofs: Set<String>? { nil }
    public var members: [String] { [] }
    public func check(_ members: [String: any BackendKind]) throws(SettingsError) {}
    public var supportsLazyMigration: Bool { false }
    public var receiptFields: Set<String> { [] }
    public var stores: [StoreName] { [] }
    public var varyingFields: Set<String> { [] }
    public var decidesEditions: Bool { true }
    public var isRemote: Bool { true }
    public var maxConcurrent: Int? { nil }
    public func tokenCodec(for publication: PublicationID) -> (any TokenCodec)? { nil }
    public func edgeTokens() -> [any EdgeToken] { [] }
}

/// The services that backends share.
public struct BackendServices: Sendable {
    public let clock: WallClock
    public let random: RandomSource
    public let passwords: PasswordVerifier
    public let pseudonymKey: PseudonymKey
    /// Receives events. Must return immediately.
    public let observe: @Sendable (BackendEvent) -> Void
    /// The opened backends that the kind named as its members.
    public var members: [String: any SubscriberBackend]
    /// The configured app stores.
    public var stores: [StoreName: any ReceiptVerifier]
    /// The ledger of verified transactions, or `nil` if there are no stores.
    public var ledger: (any TransactionLedger)?
    /// The credential facts that are shared with other processes on the same state.
    public var credentialFacts = CredentialFacts()
    /// The documents that one node fetches for all; nil if this node fetches for itself.
    package var documents: SharedDocuments?
    /// The node's part of the concurrency limits; nil if this process has all of them.
    package var slotShares: SlotShares?
    /// A Boolean value that indicates whether the backends only show what they have. They then create, change and lock no
    /// files, apply no import, and fetch nothing by themselves. Default: false.
    package var isReadOnly = false

    public init(
        clock: WallClock, random: RandomSource, passwords: PasswordVerifier, pseudonymKey: PseudonymKey,
        observe: @escaping @Sendable (BackendEvent) -> Void = { _ in },
        members: [String: any SubscriberBackend] = [:], stores: [StoreName: any ReceiptVerifier] = [:],
        ledger: (any TransactionLedger)? = nil
    ) {
        self.clock = clock
        self.random = random
        self.passwords = passwords
        self.pseudonymKey = pseudonymKey
        self.observe = observe
        self.members = members
        self.stores = stores
        self.ledger = ledger
    }
}
