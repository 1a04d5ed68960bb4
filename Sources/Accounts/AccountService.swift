public import Foundation
public import Gatefold
public import Primitives

/// The service for readers' accounts in one publication: registration, passwords, details and erasure.
///
/// The service does no I/O of its own: it queries the publication's backend, a registry if the backend has one, and
/// an account store.
public struct AccountService: Sendable {
    public let authorizationService: AuthorizationService
    public let passwords: PasswordRule
    let accountStore: any AccountStore & ItemNumberStore
    let resetTokens: PasswordResetTokens
    /// The revocation lists of the publications that share the registry. A reader's sessions there end together
    /// with those here.
    let sharedRegistryPublications: [RevocationList]
    /// The throttle for registrations and for requests for tickets.
    let registrationThrottle: any LoginThrottling
    /// The ledger in which purchases are erased.
    let ledger: (any PurchaseErasing)?

    /// - Parameters:
    ///   - authorizationService: The use cases of the publication.
    ///   - accountStore: The store of accounts and item numbers.
    ///   - secrets: The secrets of the publication's tokens. Password tickets are sealed under a separate key derived
    ///     from them.
    ///   - passwords: The rule for passwords that readers choose.
    ///   - resetTokenLifetime: The lifetime of a ticket for a new password, in seconds. Default: 3600 s.
    ///   - sharedRegistryPublications: The revocation lists of the other publications that use the same registry. They
    ///     share the password, so a password change ends the sessions in all of them.
    ///   - registrationThrottle: The throttle for registrations and for requests for tickets. It is separate from the
    ///     throttle of sign-ins, so that a client behind an address with many readers cannot lock them out.
    ///   - ledger: The ledger in which a reader's purchases are erased, or nil for the publication's own, if it sells
    ///     at all.
    public init(
        authorizationService: AuthorizationService, accountStore: any AccountStore & ItemNumberStore,
        secrets: SecretRing,
        passwords: PasswordRule = PasswordRule(),
        resetTokenLifetime: TimeInterval = 3600, sharedRegistryPublications: [RevocationList] = [],
        registrationThrottle: any LoginThrottling = UnlimitedLoginAttempts(), ledger: (any PurchaseErasing)? = nil
    ) {
        self.authorizationService = authorizationService
        self.accountStore = accountStore
        self.passwords = passwords
        self.sharedRegistryPublications = sharedRegistryPublications.filter {
            $0.publication != authorizationService.publication.id
        }
        self.registrationThrottle = registrationThrottle
        self.ledger = ledger
        resetTokens = PasswordResetTokens(
            publication: authorizationService.publication.id, secrets: secrets, random: authorizationService.random,
            lifetime: resetTokenLifetime)
    }

    /// A Boolean value that indicates whether readers can register here and change their passwords.
    public var hasRegistry: Bool { authorizationService.backend.registry != nil }

    /// Returns the account of a reader, and creates it if there is none. An existing account receives the new
    /// identifier.
    ///
    /// The identifier comes from the registry if there is one, and never from the reader's input, because e-mail
    /// messages go to it. A subscriber system without a registry does not report its identifier. The account then
    /// receives the folded input that was sent to the system. A spelling that such systems treat as equal changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - subscriber: The subscriber.
    ///   - typed: The identifier that the reader typed at sign-in.
    /// - Throws: `Unavailable`.
    public func account(of subscriber: Subscriber, identifier typed: String) async throws -> Account {
        var identifier = CredentialFields.fold(typed)
        if let registry = authorizationService.backend.registry, registry.name == subscriber.backend {
            let known = try await authorizationService.withStore { try await registry.identifier(of: subscriber) }
            identifier = known ?? identifier
        } else if let account = try await account(of: subscriber),
            CredentialFields.isSameIdentifier(account.details.identifier, identifier)
        {
            return account
        }
        return try await openAccount(of: subscriber, details: AccountDetails(identifier: identifier))
    }

    /// Returns the account of a reader, or nil if there is none.
    ///
    /// - Throws: `Unavailable`.
    public func account(of subscriber: Subscriber) async throws -> Account? {
        try await authorizationService.withStore {
            try await accountStore.account(
                of: authorizationService.pseudonymKey.owner(subscriber), in: authorizationService.publication.id)
        }
    }

    /// Returns the accounts of the owners of purchases.
    ///
    /// - Throws: `Unavailable`.
    public func accounts(of owners: [PurchaseOwner]) async throws -> [Account] {
        try await authorizationService.withStore {
            try await accountStore.accounts(of: owners, in: authorizationService.publication.id)
        }
    }

    /// Stores the details of a reader. The identifier is unchanged.
    ///
    /// - Returns: Nil if there is no account, or the details are not acceptable.
    /// - Throws: `Unavailable`.
    public func change(_ details: AccountDetails, of subscriber: Subscriber) async throws -> Account? {
        guard details.isAcceptable, let account = try await account(of: subscriber) else { return nil }
        var changed = details
        changed.identifier = account.details.identifier
        return try await authorizationService.withStore {
            try await accountStore.change(
                changed, of: account.owner, in: authorizationService.publication.id, at: authorizationService.clock.now)
        }
    }

    /// Returns the numbers of items for sale, see ``ItemNumberStore/itemNumbers(of:in:)``.
    ///
    /// - Throws: `Unavailable`.
    public func numbers(of items: [SaleItem]) async throws -> [SaleItem: Int64] {
        guard !items.isEmpty else { return [:] }
        let numbers = try await authorizationService.withStore {
            try await accountStore.itemNumbers(of: items.map(\.name), in: authorizationService.publication.id)
        }
        return items.reduce(into: [:]) { all, item in all[item] = numbers[item.name] }
    }

    /// Returns the item that an assigned number represents.
    ///
    /// - Throws: `Unavailable`.
    public func item(numbered number: Int64) async throws -> SaleItem? {
        guard number >= SaleItem.firstAssigned else { return nil }
        return try await authorizationService.withStore {
            try await accountStore.itemName(numbered: number, in: authorizationService.publication.id)
        }.flatMap { SaleItem(name: $0) }
    }

    func openAccount(of subscriber: Subscriber, details: AccountDetails) async throws -> Account {
        let uuid = UUIDText.random(from: authorizationService.random)
        return try await authorizationService.withStore {
            try await accountStore.openAccount(
                of: authorizationService.pseudonymKey.owner(subscriber), in: authorizationService.publication.id,
                uuid: uuid, details: details,
                at: authorizationService.clock.now)
        }
    }
}
