public import Gatefold
public import Settings

/// A kind of subscriber backend, as the configuration names it: reads its settings, then opens.
///
/// Reading touches nothing outside, so that `gatefold config check` can do it anywhere.
public protocol BackendKind: Sendable {
    /// The value of `kind` in the configuration.
    static var name: String { get }

    /// - Throws: ``SettingsError`` for settings this kind can not use, unknown ones included.
    init(name: String, settings: SettingsSection) throws(SettingsError)

    func open(_ services: BackendServices) throws -> any SubscriberBackend

    /// Whether its readers are made up: such a backend stands in a test publication only, and nothing else does there.
    var isForTests: Bool { get }

    /// The proofs it checks, by the names of their fields; a publication must ask for these and no others, because a proof
    /// that is asked for and not checked lets everybody in. Nil when it has its own way.
    var checkedProofs: Set<String>? { get }

    /// The other backends it asks, by their names in the configuration; they are opened before it.
    var members: [String] { get }

    /// Refuses members that can not do what they are named for.
    ///
    /// - Throws: ``SettingsError`` at the setting that names one.
    func check(_ members: [String: any BackendKind]) throws(SettingsError)

    /// Whether it can take readers over whom another backend recognised, see `SubscriberAdopter`.
    var adopts: Bool { get }

    /// The request fields in which it takes a store's receipt; a publication takes those of every backend it asks.
    var receiptFields: Set<String> { get }

    /// The app stores it asks, by their names in the configuration.
    var stores: [StoreName] { get }

    /// The request's fields, besides the credentials, that its answers depend on. It is shown no others, so that two
    /// questions that differ in nothing it sees may share an answer (PITFALLS row 7).
    var decidingFields: Set<String> { get }

    /// Whether its backend has verdicts of its own on editions. One that says no is not asked for them, which spares it half
    /// of the questions for edition credentials.
    var decidesEditions: Bool { get }

    /// Whether it asks something outside the process, which has bad days. Only such a backend is protected from its
    /// readers, and they from it.
    var isRemote: Bool { get }

    /// The most questions it can work on at once, by settings of its own such as the size of its pool; nil where nothing but
    /// ``ProtectionSettings`` limits them. More are never put to it: they would wait inside their deadlines.
    var mostAtOnce: Int? { get }

    /// How tokens look, where the kind has a word in it; nil leaves them sealed.
    func tokenCodec(for publication: PublicationID) -> (any TokenCodec)?

    /// Headers for an edge that the kind has besides those configured.
    func edgeTokens() -> [any EdgeToken]
}

extension BackendKind {
    public var isForTests: Bool { false }
    public var checkedProofs: Set<String>? { nil }
    public var members: [String] { [] }
    public func check(_ members: [String: any BackendKind]) throws(SettingsError) {}
    public var adopts: Bool { false }
    public var receiptFields: Set<String> { [] }
    public var stores: [StoreName] { [] }
    public var decidingFields: Set<String> { [] }
    public var decidesEditions: Bool { true }
    public var isRemote: Bool { true }
    public var mostAtOnce: Int? { nil }
    public func tokenCodec(for publication: PublicationID) -> (any TokenCodec)? { nil }
    public func edgeTokens() -> [any EdgeToken] { [] }
}

/// What backends share.
public struct BackendServices: Sendable {
    public let clock: WallClock
    public let random: RandomSource
    public let passwords: PasswordVerifier
    public let references: ReferenceKey
    /// Told what happened; returns at once.
    public let observe: @Sendable (BackendEvent) -> Void
    /// The opened backends that a kind named as its members.
    public var members: [String: any SubscriberBackend]
    /// The app stores there are.
    public var stores: [StoreName: any ReceiptVerifier]
    /// What is remembered of receipts and purchases; nil where there are no stores.
    public var ledger: (any PurchaseLedger)?
    /// What other processes on the same state have to know of credentials.
    public var credentialFacts = CredentialFacts()

    public init(
        clock: WallClock, random: RandomSource, passwords: PasswordVerifier, references: ReferenceKey,
        observe: @escaping @Sendable (BackendEvent) -> Void = { _ in },
        members: [String: any SubscriberBackend] = [:], stores: [StoreName: any ReceiptVerifier] = [:],
        ledger: (any PurchaseLedger)? = nil
    ) {
        self.clock = clock
        self.random = random
        self.passwords = passwords
        self.references = references
        self.observe = observe
        self.members = members
        self.stores = stores
        self.ledger = ledger
    }
}
